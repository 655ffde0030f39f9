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

constexpr mode_t kUnixSocketMode = 0660;

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
  std::string text;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  int family() const { return storage.ss_family; }
};

absl::Status Failed(const Address& address, const char* what) {
  const int error = errno;
  const auto say = [&](auto... text) {
    return absl::UnavailableError(absl::StrCat(address.text, text...));
  };
  if (error == EADDRINUSE) return say(" is in use by another process");
  if (error == EADDRNOTAVAIL) return say(" is no address of this machine");
  if (error == EACCES && address.family() != AF_UNIX) {
    return say(": ports below 1024 need a right that this process does not have");
  }
  return say(": ", what, ": ", std::strerror(error));
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
    address.size = sizeof(*to);
  }
  return address;
}

int NewSocket(const Address& address) {
  return socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

bool Set(int descriptor, int level, int option) {
  const int one = 1;
  return setsockopt(descriptor, level, option, &one, sizeof(one)) == 0;
}

// Sockets that share a port share it with every process of the user: a bind that does not share
// says whether one is there.
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
  if (lstat(path.c_str(), &info) != 0) {
    return errno == ENOENT ? absl::OkStatus() : Failed(address, "lstat");
  }
  if (!S_ISSOCK(info.st_mode)) {
    return absl::AlreadyExistsError(absl::StrCat(path, " is there and is no socket"));
  }
  const int descriptor = NewSocket(address);
  if (descriptor < 0) return Failed(address, "socket");
  const absl::Cleanup close_it = [descriptor] { close(descriptor); };
  // EAGAIN: somebody listens, whose queue is full.
  if (connect(descriptor, address.get(), address.size) == 0 || errno == EAGAIN) {
    return absl::UnavailableError(absl::StrCat(path, " is in use by another process"));
  }
  if (errno != ECONNREFUSED) return Failed(address, "connect");
  return unlink(path.c_str()) == 0 ? absl::OkStatus() : Failed(address, "unlink");
}

absl::StatusOr<Listener> Duplicate(int descriptor) {
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
  const int flags = fcntl(descriptor, F_GETFL);
  if (flags < 0 || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) != 0 ||
      (listener.descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)) < 0) {
    return absl::UnavailableError(
        absl::StrCat("the passed descriptor can not be used: ", std::strerror(errno)));
  }
  listener.tcp = bound.ss_family != AF_UNIX;
  if (bound.ss_family == AF_INET) {
    listener.port = ntohs(reinterpret_cast<const sockaddr_in*>(&bound)->sin_port);
  } else if (bound.ss_family == AF_INET6) {
    listener.port = ntohs(reinterpret_cast<const sockaddr_in6*>(&bound)->sin6_port);
  }
  return listener;
}

absl::Status BindTcp(const ListenOptions& options, const Address& address, int descriptor) {
  // A restart does not wait for connections of the last run to time out.
  Set(descriptor, SOL_SOCKET, SO_REUSEADDR);
  if (address.family() == AF_INET6 && !Set(descriptor, IPPROTO_IPV6, IPV6_V6ONLY)) {
    return Failed(address, "IPV6_V6ONLY");
  }
  if (options.share_port && !Set(descriptor, SOL_SOCKET, SO_REUSEPORT)) {
    return Failed(address, "SO_REUSEPORT");
  }
  if (bind(descriptor, address.get(), address.size) != 0) return Failed(address, "bind");
  return absl::OkStatus();
}

// The mode is narrowed before the file exists, so that nobody slips in before it is set.
absl::Status BindUnix(const std::string& path, const Address& address, Listener* listener) {
  if (fchmod(listener->descriptor, kUnixSocketMode) != 0) return Failed(address, "fchmod");
  if (bind(listener->descriptor, address.get(), address.size) != 0) return Failed(address, "bind");
  listener->unix_path = path;
  // The umask may have taken away what the mode gives.
  if (chmod(path.c_str(), kUnixSocketMode) != 0) return Failed(address, "chmod");
  return absl::OkStatus();
}

absl::Status Bind(const ListenOptions& options, const Address& address, Listener* listener) {
  const bool tcp = address.family() != AF_UNIX;
  absl::Status status;
  if (!tcp) {
    status = RemoveStale(address, options.address.address);
  } else if (options.share_port && options.exclusive_check && options.address.port != 0) {
    status = CheckExclusive(address);
  }
  if (!status.ok()) return status;
  listener->descriptor = NewSocket(address);
  if (listener->descriptor < 0) return Failed(address, "socket");
  status = tcp ? BindTcp(options, address, listener->descriptor)
               : BindUnix(options.address.address, address, listener);
  if (!status.ok()) return status;
  if (listen(listener->descriptor, options.backlog) != 0) return Failed(address, "listen");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Listener> OpenListener(const ListenOptions& options) {
  if (options.address.family == ListenAddress::Family::kDescriptor) {
    return Duplicate(options.address.descriptor);
  }
  absl::StatusOr<Address> address = AddressOf(options.address);
  if (!address.ok()) return address.status();
  Listener listener;
  const absl::Cleanup close_it = [&listener] { CloseListener(&listener); };
  if (absl::Status status = Bind(options, *address, &listener); !status.ok()) return status;
  absl::StatusOr<Listener> opened = Duplicate(listener.descriptor);
  if (opened.ok()) opened->unix_path = std::exchange(listener.unix_path, {});
  return opened;
}

absl::StatusOr<Listener> ShareListener(const Listener& first) {
  return Duplicate(first.descriptor);
}

void CloseListener(Listener* listener) {
  if (listener->descriptor >= 0) close(std::exchange(listener->descriptor, -1));
  if (!listener->unix_path.empty()) unlink(std::exchange(listener->unix_path, {}).c_str());
}

}  // namespace pure::transport
