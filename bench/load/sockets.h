#pragma once

// Sockets of a load loop: loopback only.

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace pure::bench {

// Owns a descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      Close();
      value_ = std::exchange(other.value_, -1);
    }
    return *this;
  }
  ~Descriptor() { Close(); }

  int get() const { return value_; }
  bool valid() const { return value_ >= 0; }
  void Close();

 private:
  int value_ = -1;
};

struct LoopbackAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

// InvalidArgument: not a number in 127.0.0.0/8, nor ::1. A load loop pointed at somebody else's
// machine is an attack.
absl::StatusOr<LoopbackAddress> ParseLoopback(const std::string& address, uint16_t port);

// A non-blocking socket that is connected or on its way to be.
absl::StatusOr<Descriptor> Connect(const LoopbackAddress& address);

// "what: errno in words".
absl::Status ErrnoStatus(const char* what, int error);

int64_t MonotonicNs();

}  // namespace pure::bench
