#include "transport/epoll/listener.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"

namespace pure::transport {
namespace {

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
  std::string text;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

absl::Status Failed(const Address& address, const char* what) {
  const int error = errno;
  if (error == EADDRINUSE) {
    return absl::UnavailableError(absl::StrCat(address.text, " is in use by another process"));
  }
  return absl::UnavailableError(absl::StrCat(address.text, ": ", what, ": ", std::strerror(error)));
}

absl::StatusOr<Address> AddressOf(const ListenAddress& listen) {
  Address address;
  address.text = listen.address;
  const auto bad = [&] {
    return absl::InvalidArgumentError(absl::StrCat(listen.address, " is no address to listen on"));
  };
  if (listen.family == ListenAddress::Family::kIpv4) {
    auto* const to = reinterpret_cast<sockaddr_in*>(&address.storage);
    to->sin_family = AF_INET;
    to->sin_port = htons(listen.port);
    if (inet_pton(AF_INET, listen.address.c_str(), &to->sin_addr) != 1) return bad();
    address.size = sizeof(*to);
    absl::StrAppend(&address.text, ":", listen.port);
  } else if (listen.family == ListenAddress::Family::kIpv6) {
    auto* const to = reinterpret_cast<sockaddr_in6*>(&address.storage);
    to->sin6_family = AF_INET6;
    to->sin6_port = htons(listen.port);
    if (inet_pton(AF_INET6, listen.address.c_str(), &to->sin6_addr) != 1) return bad();
    address.size = sizeof(*to);
    address.text = absl::StrCat("[", listen.address, "]:", listen.port);
  } else {
    auto* const to = reinterpret_cast<sockaddr_un*>(&address.storage);
    to->sun_family = AF_UNIX;
    if (listen.address.empty() || listen.address.size() >= sizeof(to->sun_path)) return bad();
    std::memcpy(to->sun_path, listen.address.data(), listen.address.size());
    address.size = static_cast<socklen_t>(sizeof(*to));
  }
  return address;
}

int NewSocket(const Address& address) {
  return socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

void Set(int descriptor, int level, int option) {
  const int one = 1;
  (void)setsockopt(descriptor, level, option, &one, sizeof(one));
}

// Sockets that share a port share it with every process of the user: a bind that does not share says whether one is there.
absl::Status CheckExclusive(const Address& address) {
  const int descriptor = NewSocket(address);
  if (descriptor < 0) return Failed(address, "socket");
  const absl::Cleanup close_it = [descriptor] { close(descriptor); };
  Set(descriptor, SOL_SOCKET, SO_REUSEADDR);
  if (bind(descriptor, address.get(), address.size) != 0) return Failed(address, "bind");
  return absl::OkStatus();
}

// A socket file that nobody answers on is left over from a process that was killed.
absl::Status RemoveStale(const Address& address, const std::string& path) {
  struct stat info;
  if (lstat(path.c_str(), &info) != 0) return absl::OkStatus();
  if (!S_ISSOCK(info.st_mode)) {
    return absl::AlreadyExistsError(absl::StrCat(path, " is there and is no socket"));
  }
  const int descriptor = NewSocket(address);
  if (descriptor < 0) return Failed(address, "socket");
  const absl::Cleanup close_it = [descriptor] { close(descriptor); };
  if (connect(descriptor, address.get(), address.size) == 0 || errno != ECONNREFUSED) {
    return absl::UnavailableError(absl::StrCat(path, " is in use by another process"));
  }
  return unlink(path.c_str()) == 0 ? absl::OkStatus() : Failed(address, "unlink");
}

absl::StatusOr<Listener> Passed(int descriptor) {
  Listener listener;
  sockaddr_storage bound{};
  socklen_t size = sizeof(bound);
  int listening = 0;
  socklen_t listening_size = sizeof(listening);
  if (getsockname(descriptor, reinterpret_cast<sockaddr*>(&bound), &size) != 0 ||
      getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listening, &listening_size) != 0 ||
      listening == 0) {
    return absl::InvalidArgumentError("the passed descriptor is no listening socket");
  }
  // Each thread has one of its own, of the same queue.
  listener.descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
  if (listener.descriptor < 0 ||
      fcntl(listener.descriptor, F_SETFL, fcntl(listener.descriptor, F_GETFL) | O_NONBLOCK) != 0) {
    return absl::UnavailableError("the passed descriptor can not be used");
  }
  listener.tcp = bound.ss_family != AF_UNIX;
  if (bound.ss_family == AF_INET) {
    listener.port = ntohs(reinterpret_cast<const sockaddr_in*>(&bound)->sin_port);
  } else if (bound.ss_family == AF_INET6) {
    listener.port = ntohs(reinterpret_cast<const sockaddr_in6*>(&bound)->sin6_port);
  }
  return listener;
}

absl::Status Bind(const ListenOptions& options, const Address& address, Listener* listener) {
  const bool local = address.storage.ss_family == AF_UNIX;
  if (local) {
    if (absl::Status status = RemoveStale(address, options.address.address); !status.ok()) {
      return status;
    }
  } else if (options.share_port && options.exclusive_check && options.address.port != 0) {
    if (absl::Status status = CheckExclusive(address); !status.ok()) return status;
  }
  listener->descriptor = NewSocket(address);
  if (listener->descriptor < 0) return Failed(address, "socket");
  if (!local) Set(listener->descriptor, SOL_SOCKET, SO_REUSEADDR);
  if (address.storage.ss_family == AF_INET6) Set(listener->descriptor, IPPROTO_IPV6, IPV6_V6ONLY);
  if (!local && options.share_port) Set(listener->descriptor, SOL_SOCKET, SO_REUSEPORT);
  const mode_t mask = umask(0117);  // a unix socket has mode 0660
  const int bound = bind(listener->descriptor, address.get(), address.size);
  umask(mask);
  if (bound != 0) return Failed(address, "bind");
  if (local) listener->unix_path = options.address.address;
  if (listen(listener->descriptor, options.backlog) != 0) return Failed(address, "listen");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Listener> OpenListener(const ListenOptions& options) {
  if (options.address.family == ListenAddress::Family::kDescriptor) {
    return Passed(options.address.descriptor);
  }
  absl::StatusOr<Address> address = AddressOf(options.address);
  if (!address.ok()) return address.status();
  Listener listener;
  if (absl::Status status = Bind(options, *address, &listener); !status.ok()) {
    CloseListener(&listener);
    return status;
  }
  absl::StatusOr<Listener> bound = Passed(listener.descriptor);
  if (bound.ok()) bound->unix_path = std::exchange(listener.unix_path, {});
  CloseListener(&listener);
  return bound;
}

void CloseListener(Listener* listener) {
  if (listener->descriptor >= 0) close(std::exchange(listener->descriptor, -1));
  if (!listener->unix_path.empty()) unlink(std::exchange(listener->unix_path, {}).c_str());
}

}  // namespace pure::transport
