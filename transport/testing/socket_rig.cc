#include "transport/testing/socket_rig.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "gtest/gtest.h"

namespace pure::transport {

SocketClient::SocketClient(uint16_t port, bool narrow) {
  Open(AF_INET, narrow);
  const int one = 1;
  (void)setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  Connect(&to, sizeof(to));
}

SocketClient::SocketClient(const std::string& path, bool narrow) {
  Open(AF_UNIX, narrow);
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  std::memcpy(to.sun_path, path.data(), path.size());
  Connect(&to, sizeof(to));
}

void SocketClient::Open(int family, bool narrow) {
  descriptor_ = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  EXPECT_GE(descriptor_, 0);
  const int few = 4096;
  if (narrow) (void)setsockopt(descriptor_, SOL_SOCKET, SO_RCVBUF, &few, sizeof(few));
}

// On loopback the kernel answers at once, without the server's thread.
void SocketClient::Connect(const void* address, size_t address_bytes) {
  broken_ = connect(descriptor_, static_cast<const sockaddr*>(address),
                    static_cast<socklen_t>(address_bytes)) != 0;
  (void)fcntl(descriptor_, F_SETFL, fcntl(descriptor_, F_GETFL) | O_NONBLOCK);
}

SocketClient::~SocketClient() {
  if (descriptor_ >= 0) close(descriptor_);
}

size_t SocketClient::Send(Bytes bytes) {
  const ssize_t sent = send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  return sent < 0 ? 0 : static_cast<size_t>(sent);
}

void SocketClient::ShutdownSend() { (void)shutdown(descriptor_, SHUT_WR); }

void SocketClient::Reset() {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  (void)setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  close(std::exchange(descriptor_, -1));
  broken_ = true;
}

std::string SocketClient::Read() {
  std::string all = std::exchange(ahead_, {});
  while (!ended_ && !broken_) {
    char bytes[16 << 10];
    const ssize_t size = recv(descriptor_, bytes, sizeof(bytes), 0);
    if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    ended_ = size == 0;
    broken_ = size < 0;
    if (size > 0) all.append(bytes, static_cast<size_t>(size));
  }
  return all;
}

bool SocketClient::ended() {
  ahead_ = Read();
  return ended_ && ahead_.empty();
}

SocketRig::SocketRig(std::unique_ptr<Transport> transport, SocketClient::Kind kind)
    : kind_(kind), transport_(std::move(transport)) {
  ListenOptions options;
  if (kind == SocketClient::Kind::kUnix) {
    directory_.emplace();
    options.address.family = ListenAddress::Family::kUnix;
    options.address.address = directory_->socket();
  }
  const absl::Status listens = transport_->Listen(options, &port_);
  EXPECT_TRUE(listens.ok()) << listens;
}

std::unique_ptr<TestClient> SocketRig::Connect(bool narrow) {
  if (kind_ == SocketClient::Kind::kTcp) return std::make_unique<SocketClient>(port_, narrow);
  return std::make_unique<SocketClient>(directory_->socket(), narrow);
}

int64_t SocketRig::NowNs() {
  timespec now;
  EXPECT_EQ(clock_gettime(CLOCK_MONOTONIC, &now), 0);
  return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}

}  // namespace pure::transport
