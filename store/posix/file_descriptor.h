#pragma once

// FileDescriptor: owns an open descriptor; closes it once.

#include <unistd.h>

#include <utility>

namespace pure::store {

class FileDescriptor final {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  // An error of close says nothing that Sync did not say before, and the descriptor is gone anyway.
  ~FileDescriptor() {
    if (fd_ >= 0) static_cast<void>(close(fd_));
  }

  bool valid() const { return fd_ >= 0; }
  int get() const { return fd_; }

 private:
  int fd_ = -1;
};

}  // namespace pure::store
