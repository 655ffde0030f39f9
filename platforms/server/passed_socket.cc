#include "platforms/server/passed_socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "absl/status/status.h"

namespace pure::server {

using transport::ListenAddress;

absl::StatusOr<ListenAddress> AddressOfSocket(int descriptor) {
  sockaddr_storage bound{};
  socklen_t size = sizeof(bound);
  if (getsockname(descriptor, reinterpret_cast<sockaddr*>(&bound), &size) != 0) {
    return absl::InvalidArgumentError("the passed descriptor is no socket");
  }
  ListenAddress address;
  char text[INET6_ADDRSTRLEN] = "";
  if (bound.ss_family == AF_INET) {
    const auto* const ipv4 = reinterpret_cast<const sockaddr_in*>(&bound);
    address.family = ListenAddress::Family::kIpv4;
    address.port = ntohs(ipv4->sin_port);
    (void)inet_ntop(AF_INET, &ipv4->sin_addr, text, sizeof(text));
  } else if (bound.ss_family == AF_INET6) {
    const auto* const ipv6 = reinterpret_cast<const sockaddr_in6*>(&bound);
    address.family = ListenAddress::Family::kIpv6;
    address.port = ntohs(ipv6->sin6_port);
    (void)inet_ntop(AF_INET6, &ipv6->sin6_addr, text, sizeof(text));
  } else if (bound.ss_family == AF_UNIX) {
    address.family = ListenAddress::Family::kUnix;
  } else {
    return absl::InvalidArgumentError("the passed socket is neither of TCP nor a unix socket");
  }
  address.address = text;
  return address;
}

}  // namespace pure::server
