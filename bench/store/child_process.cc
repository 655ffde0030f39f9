#include "bench/store/child_process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string_view>

#include "absl/strings/str_cat.h"

namespace pure::bench {
namespace {

// Repeats what a signal interrupts.
template <typename Call>
auto Uninterrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

bool WriteAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count =
        Uninterrupted([&] { return write(descriptor, bytes.data(), bytes.size()); });
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

std::string ReadAll(int descriptor) {
  std::string bytes;
  char buffer[4096];
  for (;;) {
    const ssize_t count = Uninterrupted([&] { return read(descriptor, buffer, sizeof buffer); });
    if (count <= 0) return bytes;
    bytes.append(buffer, static_cast<size_t>(count));
  }
}

// The child's message is the status's code, then the value or the error's text.
std::string Message(const absl::StatusOr<std::string>& answer) {
  const char code = static_cast<char>(answer.status().code());
  return std::string(1, code).append(answer.ok() ? *answer : answer.status().message());
}

}  // namespace

absl::StatusOr<std::string> BytesFromChild(absl::FunctionRef<absl::StatusOr<std::string>()> work) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return absl::UnavailableError("no pipe could be made");
  std::fflush(nullptr);  // what is buffered is this process's to write
  const pid_t child = fork();
  if (child < 0) {
    close(ends[0]);
    close(ends[1]);
    return absl::UnavailableError("no child process could be made");
  }
  if (child == 0) {
    close(ends[0]);
    _exit(WriteAll(ends[1], Message(work())) ? 0 : 1);
  }
  close(ends[1]);
  const std::string message = ReadAll(ends[0]);
  close(ends[0]);
  int how = 0;
  Uninterrupted([&] { return waitpid(child, &how, 0); });
  if (how != 0 || message.empty()) {
    return absl::UnavailableError(absl::StrCat("the child process ended with wait status ", how));
  }
  const absl::StatusCode code = static_cast<absl::StatusCode>(message[0]);
  if (code != absl::StatusCode::kOk) return absl::Status(code, message.substr(1));
  return message.substr(1);
}

}  // namespace pure::bench
