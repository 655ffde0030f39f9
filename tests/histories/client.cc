#include "tests/histories/client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace pure::histories {
namespace {

constexpr size_t kReceiveBytes = 16384;
constexpr time_t kAnswerSeconds = 60;

}  // namespace

bool Client::Connect(uint16_t port) {
  Close();
  descriptor_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
    Close();
    return false;
  }
  const int on = 1;
  (void)setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  const timeval limit = {.tv_sec = kAnswerSeconds, .tv_usec = 0};
  (void)setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  return true;
}

void Client::Close() {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
  reader_ = {};
  received_.clear();
  taken_ = 0;
}

bool Client::Send(Bytes requests) {
  while (!requests.empty()) {
    const ssize_t sent = send(descriptor_, requests.data(), requests.size(), MSG_NOSIGNAL);
    if (sent <= 0) {
      Close();
      return false;
    }
    requests.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

bool Client::Receive(bench::Answer* answer) {
  while (true) {
    Bytes bytes = Bytes(received_).substr(taken_);
    const bench::AnswerReader::Step step = reader_.Read(&bytes);
    taken_ = received_.size() - bytes.size();
    if (step == bench::AnswerReader::Step::kAnswer) {
      *answer = reader_.answer();
      return true;
    }
    received_.resize(kReceiveBytes);
    taken_ = 0;
    const ssize_t count = step == bench::AnswerReader::Step::kBad
                              ? -1
                              : recv(descriptor_, received_.data(), received_.size(), 0);
    if (count <= 0) {
      Close();
      return false;
    }
    received_.resize(static_cast<size_t>(count));
  }
}

}  // namespace pure::histories
