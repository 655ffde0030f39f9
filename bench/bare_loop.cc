#include "bench/bare_loop.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/check.h"

namespace pure::bench {
namespace {

constexpr size_t kCopies = 64;  // of an answer, side by side
constexpr size_t kReceiveBytes = 64u << 10;
constexpr size_t kVectorsMax = 64;  // of one send
constexpr size_t kEventsMax = 1024;

absl::Status Failed(absl::string_view what) {
  return absl::UnavailableError(absl::StrCat(what, ": ", std::strerror(errno)));
}

std::string Repeated(absl::string_view text) {
  std::string all;
  for (size_t i = 0; i < kCopies; ++i) absl::StrAppend(&all, text);
  return all;
}

// 0 when the head has none.
size_t ContentLength(absl::string_view head) {
  constexpr absl::string_view kName = "\r\ncontent-length:";
  for (size_t at = head.find("\r\n"); at != head.npos; at = head.find("\r\n", at + 2)) {
    if (!absl::StartsWithIgnoreCase(head.substr(at), kName)) continue;
    const absl::string_view value =
        absl::StripLeadingAsciiWhitespace(head.substr(at + kName.size()));
    size_t bytes = 0;
    (void)std::from_chars(value.data(), value.data() + value.size(), bytes);
    return bytes;
  }
  return 0;
}

}  // namespace

// Answers of one kind in a row that are owed to a client.
struct BareLoop::Run {
  Kind kind;
  size_t left_bytes;
};

struct BareLoop::Client {
  std::string kept;      // the beginning of a head
  size_t body_left = 0;  // bytes of a body that are still to come
  bool waits = false;    // for a writable socket
  bool listed = false;   // in owing_
  std::vector<Run> owed;
};

BareLoop::BareLoop() = default;

BareLoop::~BareLoop() {
  for (size_t i = 0; i < clients_.size(); ++i) {
    if (clients_[i] != nullptr) close(static_cast<int>(i));
  }
  for (const int descriptor : {epoll_, listener_, log_}) {
    if (descriptor >= 0) close(descriptor);
  }
}

absl::Status BareLoop::Open(const BareOptions& options) {
  options_ = options;
  const std::string page(options.body_bytes, 'x');
  const std::string answers[] = {
      absl::StrCat("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ", page.size(),
                   "\r\n\r\n", page),
      "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"};
  for (const Kind kind : {Kind::kPage, Kind::kDone}) {
    const auto i = static_cast<size_t>(kind);
    answer_bytes_[i] = answers[i].size();
    answers_[i] = Repeated(answers[i]);
  }
  if (!options.log.empty()) {
    if (absl::Status status = OpenLog(); !status.ok()) return status;
  }
  return Listen();
}

absl::Status BareLoop::OpenLog() {
  log_ = open(options_.log.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  if (log_ < 0) return Failed(options_.log);
  const std::string zeros(1u << 20, '\0');
  for (size_t at = 0; at < options_.log_bytes; at += zeros.size()) {
    if (pwrite(log_, zeros.data(), zeros.size(), static_cast<off_t>(at)) !=
        static_cast<ssize_t>(zeros.size())) {
      return Failed(options_.log);
    }
  }
  return fsync(log_) == 0 ? absl::OkStatus() : Failed(options_.log);
}

absl::Status BareLoop::Listen() {
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (epoll_ < 0 || listener_ < 0) return Failed("a descriptor");
  const int one = 1;
  (void)setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(options_.port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const bound = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener_, bound, size) != 0 || listen(listener_, 4096) != 0 ||
      getsockname(listener_, bound, &size) != 0) {
    return Failed(absl::StrCat("127.0.0.1:", options_.port));
  }
  port_ = ntohs(address.sin_port);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = listener_;
  return epoll_ctl(epoll_, EPOLL_CTL_ADD, listener_, &event) == 0 ? absl::OkStatus()
                                                                  : Failed("epoll_ctl");
}

void BareLoop::Turn(int timeout_ms) {
  static thread_local std::array<epoll_event, kEventsMax> events;
  const int count = epoll_wait(epoll_, events.data(), kEventsMax, timeout_ms);
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<size_t>(i)];
    const int descriptor = event.data.fd;
    if (descriptor == listener_) {
      Accept();
    } else if ((event.events & (EPOLLIN | EPOLLERR | EPOLLHUP)) != 0) {
      Receive(descriptor);
    } else if ((event.events & EPOLLOUT) != 0) {
      SendOwed(descriptor);
    }
  }
  if (!batch_.empty()) Save();
  for (const int descriptor : owing_) {
    Client* const client = clients_[static_cast<size_t>(descriptor)].get();
    if (client == nullptr) continue;
    client->listed = false;
    if (!client->waits) SendOwed(descriptor);
  }
  owing_.clear();
}

void BareLoop::Accept() {
  for (;;) {
    const int descriptor = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor < 0) return;
    const int one = 1;
    (void)setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    if (clients_.size() <= static_cast<size_t>(descriptor)) {
      clients_.resize(static_cast<size_t>(descriptor) + 1);
    }
    clients_[static_cast<size_t>(descriptor)] = std::make_unique<Client>();
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = descriptor;
    if (epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event) != 0) Drop(descriptor);
  }
}

void BareLoop::Drop(int descriptor) {
  clients_[static_cast<size_t>(descriptor)] = nullptr;
  close(descriptor);
}

void BareLoop::Receive(int descriptor) {
  static thread_local std::array<char, kReceiveBytes> buffer;
  Client* const client = clients_[static_cast<size_t>(descriptor)].get();
  if (client == nullptr) return;
  const ssize_t size = recv(descriptor, buffer.data(), buffer.size(), 0);
  if (size <= 0) {
    if (size == 0 || (errno != EAGAIN && errno != EINTR)) Drop(descriptor);
    return;
  }
  const absl::string_view fresh(buffer.data(), static_cast<size_t>(size));
  if (client->kept.empty()) {
    const size_t used = Parse(client, fresh);
    client->kept.assign(fresh.substr(used));
  } else {
    client->kept.append(fresh);
    client->kept.erase(0, Parse(client, client->kept));
  }
  if (client->owed.empty() || client->listed) return;
  client->listed = true;
  owing_.push_back(descriptor);
}

// Returns how many bytes were used: all but the beginning of a head.
size_t BareLoop::Parse(Client* client, absl::string_view bytes) {
  size_t used = 0;
  while (used < bytes.size()) {
    if (client->body_left > 0) {
      const absl::string_view part = bytes.substr(used, client->body_left);
      if (log_ >= 0) batch_.append(part);
      used += part.size();
      client->body_left -= part.size();
      if (client->body_left == 0) Owe(client, Kind::kDone);
      continue;
    }
    const absl::string_view rest = bytes.substr(used);
    const size_t end = rest.find("\r\n\r\n");
    if (end == rest.npos) break;
    used += end + 4;
    if (rest[0] == 'G') {
      Owe(client, Kind::kPage);
    } else if ((client->body_left = ContentLength(rest.substr(0, end))) == 0) {
      Owe(client, Kind::kDone);
    }
  }
  return used;
}

void BareLoop::Owe(Client* client, Kind kind) {
  const size_t bytes = answer_bytes_[static_cast<size_t>(kind)];
  if (!client->owed.empty() && client->owed.back().kind == kind) {
    client->owed.back().left_bytes += bytes;
  } else {
    client->owed.push_back({kind, bytes});
  }
}

void BareLoop::Save() {
  if (log_offset_ + batch_.size() > options_.log_bytes) log_offset_ = 0;
  const ssize_t written =
      pwrite(log_, batch_.data(), batch_.size(), static_cast<off_t>(log_offset_));
  PURE_CHECK(written == static_cast<ssize_t>(batch_.size()) && fdatasync(log_) == 0,
             "the log can not be written, and nothing measured over it would be true");
  log_offset_ += batch_.size();
  batch_.clear();
  ++saves_;
}

// One send for all that is owed. The copies of an answer lie side by side, so that a run of them is
// few spans.
void BareLoop::SendOwed(int descriptor) {
  Client* const client = clients_[static_cast<size_t>(descriptor)].get();
  static thread_local std::array<iovec, kVectorsMax> vectors;
  size_t count = 0;
  for (size_t i = 0; i < client->owed.size() && count < vectors.size(); ++i) {
    const Run& run = client->owed[i];
    const auto kind = static_cast<size_t>(run.kind);
    for (size_t left = run.left_bytes; left > 0 && count < vectors.size();) {
      // What is left ends with an answer, so it says where in one it begins.
      const size_t in_answer =
          (answer_bytes_[kind] - left % answer_bytes_[kind]) % answer_bytes_[kind];
      const size_t size = std::min(left, answers_[kind].size() - in_answer);
      vectors[count++] = {answers_[kind].data() + in_answer, size};
      left -= size;
    }
  }
  msghdr message{};
  message.msg_iov = vectors.data();
  message.msg_iovlen = count;
  ssize_t sent = count == 1
                     ? send(descriptor, vectors[0].iov_base, vectors[0].iov_len, MSG_NOSIGNAL)
                     : sendmsg(descriptor, &message, MSG_NOSIGNAL);
  if (sent < 0 && errno != EAGAIN && errno != EINTR) return Drop(descriptor);
  size_t taken = static_cast<size_t>(std::max<ssize_t>(sent, 0));
  size_t done = 0;
  while (done < client->owed.size() && taken >= client->owed[done].left_bytes) {
    taken -= client->owed[done++].left_bytes;
  }
  client->owed.erase(client->owed.begin(), client->owed.begin() + static_cast<ptrdiff_t>(done));
  if (!client->owed.empty()) client->owed.front().left_bytes -= taken;
  const bool waits = !client->owed.empty();
  if (waits == client->waits) return;
  client->waits = waits;
  epoll_event event{};
  event.events = waits ? EPOLLOUT : EPOLLIN;  // who does not read is not read from
  event.data.fd = descriptor;
  (void)epoll_ctl(epoll_, EPOLL_CTL_MOD, descriptor, &event);
}

}  // namespace pure::bench
