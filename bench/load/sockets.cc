#include "bench/load/sockets.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace pure::bench {

void Descriptor::Close() {
  if (value_ >= 0) close(value_);
  value_ = -1;
}

absl::StatusOr<LoopbackAddress> ParseLoopback(const std::string& address, uint16_t port) {
  LoopbackAddress result;
  sockaddr_in ipv4{};
  sockaddr_in6 ipv6{};
  if (inet_pton(AF_INET, address.c_str(), &ipv4.sin_addr) == 1) {
    if (ntohl(ipv4.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET) {
      ipv4.sin_family = AF_INET;
      ipv4.sin_port = htons(port);
      std::memcpy(&result.storage, &ipv4, sizeof(ipv4));
      result.size = sizeof(ipv4);
      return result;
    }
  } else if (inet_pton(AF_INET6, address.c_str(), &ipv6.sin6_addr) == 1) {
    if (IN6_IS_ADDR_LOOPBACK(&ipv6.sin6_addr)) {
      ipv6.sin6_family = AF_INET6;
      ipv6.sin6_port = htons(port);
      std::memcpy(&result.storage, &ipv6, sizeof(ipv6));
      result.size = sizeof(ipv6);
      return result;
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat(address, " is not a loopback address; this loads nothing else"));
}

absl::StatusOr<Descriptor> Connect(const LoopbackAddress& address) {
  Descriptor socket_descriptor(
      socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP));
  if (!socket_descriptor.valid()) return ErrnoStatus("socket", errno);
  const int on = 1;
  (void)setsockopt(socket_descriptor.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  const int result = connect(socket_descriptor.get(),
                             reinterpret_cast<const sockaddr*>(&address.storage), address.size);
  if (result != 0 && errno != EINPROGRESS) return ErrnoStatus("connect", errno);
  return socket_descriptor;
}

absl::Status ErrnoStatus(const char* what, int error) {
  return absl::UnavailableError(absl::StrCat(what, ": ", std::strerror(error)));
}

int64_t MonotonicNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}

}  // namespace pure::bench
