#pragma once

// ServerProcess: a real server in a process of its own, on a free port of loopback.
//
// Thread: one. Lifetime: it is killed with this.

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace pure::histories {

class ServerProcess {
 public:
  ServerProcess() = default;
  ~ServerProcess() { Kill(); }
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  // Starts it with these arguments behind the program's name, and waits for its start line. False:
  // it did not serve.
  bool Start(const std::string& program, const std::vector<std::string>& arguments);
  void Kill();  // SIGKILL
  // Asks it to end. Its exit status, or -1.
  int Stop();

  uint16_t port() const { return port_; }

 private:
  pid_t process_ = -1;
  int output_ = -1;
  uint16_t port_ = 0;
};

}  // namespace pure::histories
