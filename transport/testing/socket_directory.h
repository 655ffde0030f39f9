#pragma once

// SocketDirectory: a directory of its own for a unix socket, with a name short enough for the
// kernel, which takes 107 bytes: those of test runners are longer. Lifetime: goes with its object.

#include <stdlib.h>
#include <unistd.h>

#include <string>

#include "gtest/gtest.h"

namespace pure::transport {

class SocketDirectory {
 public:
  SocketDirectory() { EXPECT_NE(mkdtemp(path_.data()), nullptr); }
  ~SocketDirectory() {
    EXPECT_EQ(rmdir(path_.c_str()), 0) << path_ << ": something was left in it";
  }
  SocketDirectory(const SocketDirectory&) = delete;
  SocketDirectory& operator=(const SocketDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string socket() const { return path_ + "/socket"; }

 private:
  std::string path_ = "/tmp/pure-XXXXXX";
};

}  // namespace pure::transport
