#include "tests/histories/server_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

namespace pure::histories {

bool ServerProcess::Start(const std::string& program, const std::vector<std::string>& arguments) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  process_ = fork();
  if (process_ == 0) {
    dup2(ends[1], STDOUT_FILENO);
    execv(program.c_str(), words.data());
    _exit(127);
  }
  close(ends[1]);
  output_ = ends[0];
  if (process_ < 0) return false;
  std::string line;
  char octet = 0;
  while (read(output_, &octet, 1) == 1 && octet != '\n') line.push_back(octet);
  const std::string mark = "\"port\":";
  const size_t found = line.find(mark);
  if (found == std::string::npos) return false;
  port_ = static_cast<uint16_t>(std::atoi(line.c_str() + found + mark.size()));
  return port_ != 0;
}

void ServerProcess::Kill() {
  if (process_ > 0) {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  if (output_ >= 0) close(output_);
  process_ = output_ = -1;
}

int ServerProcess::Stop() {
  int status = 0;
  if (process_ <= 0 || kill(process_, SIGTERM) != 0) return -1;
  if (waitpid(process_, &status, 0) != process_) return -1;
  process_ = -1;
  Kill();
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace pure::histories
