#include "transport/epoll/epoll_transport.h"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "runtime/check.h"

namespace pure::transport {
namespace {

constexpr uint64_t kListenerTag = UINT64_MAX;
constexpr uint64_t kWakeTag = UINT64_MAX - 1;
constexpr size_t kEventsMax = 1024;
constexpr uint32_t kBuffersMax = 1024;        // lent at once
constexpr int kAcceptsMax = 256;              // of one poll: others get their turn
constexpr uint32_t kPollsSkippedMax = 4;      // waits in a row that answer from the queue alone
constexpr int64_t kAcceptAgainNs = 100'000'000;  // after a lack of descriptors

int64_t NowNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}

Status StatusOfErrno(int error) {
  if (error == EFAULT) return Status::kUnreadable;
  return Status::kReset;
}

}  // namespace

std::unique_ptr<EpollTransport> EpollTransport::Make(const TransportOptions& options,
                                                     std::string* why_not) {
  std::unique_ptr<EpollTransport> transport(new EpollTransport(options));
  return transport->Start(why_not) ? std::move(transport) : nullptr;
}

EpollTransport::EpollTransport(const TransportOptions& options)
    : options_(options),
      peers_(options.connections),
      events_(kEventsMax),
      buffers_(options.receive_buffer_bytes, std::min(options.connections, kBuffersMax)) {
  free_.reserve(options.connections);
  for (uint32_t number = options.connections; number > 0; --number) free_.push_back(number - 1);
  readable_.reserve(options.connections);
  // A receive and a send of each connection, its acceptance, and what is said of accepting itself.
  queue_.reserve(3 * size_t{options.connections} + 8);
}

bool EpollTransport::Start(std::string* why_not) {
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  wake_ = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = kWakeTag;
  if (epoll_ >= 0 && wake_ >= 0 && epoll_ctl(epoll_, EPOLL_CTL_ADD, wake_, &event) == 0) return true;
  *why_not = absl::StrCat("epoll can not be used: ", std::strerror(errno));
  return false;
}

EpollTransport::~EpollTransport() {
  for (const Peer& peer : peers_) {
    if (peer.descriptor >= 0) close(peer.descriptor);
  }
  CloseListener(&listener_);
  if (epoll_ >= 0) close(epoll_);
  if (wake_ >= 0) close(wake_);
}

absl::Status EpollTransport::Listen(const ListenOptions& options, uint16_t* port) {
  PURE_CHECK(listener_.descriptor < 0, "a transport listens once");
  absl::StatusOr<Listener> listener = OpenListener(options);
  if (!listener.ok()) return listener.status();
  listener_ = *std::move(listener);
  epoll_event event{};
  event.data.u64 = kListenerTag;
  if (epoll_ctl(epoll_, EPOLL_CTL_ADD, listener_.descriptor, &event) != 0) {
    return absl::UnavailableError(absl::StrCat("epoll_ctl: ", std::strerror(errno)));
  }
  *port = listener_.port;
  return absl::OkStatus();
}

void EpollTransport::StartAccepting() {
  accepting_ = !stopping_;
  ArmListener();
}

void EpollTransport::PauseAccepting() {
  accepting_ = false;
  ArmListener();
}

void EpollTransport::StopAccepting() {
  if (stopping_) return;
  stopping_ = true;
  accepting_ = false;
}

// The listener is watched only when a connection could be taken: it is level-triggered, and would wake every wait.
void EpollTransport::ArmListener() {
  const bool arm = accepting_ && !free_.empty() && accept_again_ns_ == 0;
  if (arm == armed_ || listener_.descriptor < 0) return;
  epoll_event event{};
  if (arm) event.events = EPOLLIN;
  event.data.u64 = kListenerTag;
  if (epoll_ctl(epoll_, EPOLL_CTL_MOD, listener_.descriptor, &event) == 0) armed_ = arm;
}

void EpollTransport::Accept() {
  for (int i = 0; i < kAcceptsMax && !free_.empty(); ++i) {
    if (!AcceptOne()) break;
  }
  ArmListener();
}

// False: there is nobody else to take now.
bool EpollTransport::AcceptOne() {
  const int descriptor = accept4(listener_.descriptor, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (descriptor >= 0) {
    Adopt(descriptor);
    return true;
  }
  if (errno == EAGAIN || errno == EWOULDBLOCK) return false;
  if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
    accept_again_ns_ = NowNs() + kAcceptAgainNs;
    QueueAccept(Status::kDescriptors);
    return false;
  }
  return true;  // that client's own trouble: accept(2), "Error handling"
}

void EpollTransport::Adopt(int descriptor) {
  if (listener_.tcp) {
    const int one = 1;
    (void)setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
  }
  const uint32_t number = free_.back();
  Peer& peer = peers_[number];
  const uint32_t generation = peer.generation + 1;
  peer = Peer();
  peer.generation = generation == 0 ? 1 : generation;
  peer.descriptor = descriptor;
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  event.data.u64 = uint64_t{peer.generation} << 32 | number;
  if (epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event) != 0) {
    close(descriptor);
    peer.descriptor = -1;
    return;
  }
  free_.pop_back();
  ++open_;
  Queue(Operation::kAccept, Status::kOk, number, 0);
}

// The kernel's queue is taken dry, then the listener goes.
void EpollTransport::FinishAccepting() {
  while (!free_.empty() && queue_.size() < queue_.capacity() && AcceptOne()) {
  }
  CloseListener(&listener_);  // leaves the epoll set with it
  QueueAccept(Status::kCancelled);
}

EpollTransport::Peer& EpollTransport::Find(ConnectionId connection) {
  PURE_CHECK(connection.number < peers_.size() &&
                 peers_[connection.number].generation == connection.generation &&
                 peers_[connection.number].descriptor >= 0,
             "the connection is closed");
  return peers_[connection.number];
}

void EpollTransport::Queue(Operation operation, Status status, uint32_t number, size_t bytes) {
  Completion& completion = queue_.emplace_back();
  completion.operation = operation;
  completion.status = status;
  completion.connection = {number, peers_[number].generation};
  completion.bytes = bytes;
}

// About accepting itself: it names no connection.
void EpollTransport::QueueAccept(Status status) {
  Completion& completion = queue_.emplace_back();
  completion.operation = Operation::kAccept;
  completion.status = status;
}

void EpollTransport::ListReadable(uint32_t number) {
  if (peers_[number].listed) return;
  peers_[number].listed = true;
  readable_.push_back(number);
}

void EpollTransport::SubmitReceive(ConnectionId connection, MutableBytes into) {
  Peer& peer = Find(connection);
  PURE_CHECK(!peer.receiving, "a receive is outstanding");
  peer.receiving = true;
  peer.receive_done = false;
  peer.into = into;
  if (peer.readable) ListReadable(connection.number);
}

void EpollTransport::ReceiveLent(ConnectionId connection) { SubmitReceive(connection, {}); }

void EpollTransport::Receive(ConnectionId connection, MutableBytes into) {
  PURE_CHECK(!into.empty(), "a receive into nothing");
  SubmitReceive(connection, into);
}

void EpollTransport::Return(const Completion& completion) { buffers_.Give(completion.buffer); }

void EpollTransport::Send(ConnectionId connection, absl::Span<const Bytes> spans) {
  Peer& peer = Find(connection);
  PURE_CHECK(!peer.sending, "a send is outstanding");
  PURE_CHECK(!spans.empty() && spans.size() <= kSendSpansMax, "a send of no or too many spans");
  peer.sending = true;
  if (!peer.writable) {
    peer.send_waits = true;
    return;
  }
  ssize_t sent;
  if (spans.size() == 1) {
    sent = send(peer.descriptor, spans[0].data(), spans[0].size(), MSG_NOSIGNAL);
  } else {
    std::array<iovec, kSendSpansMax> vectors;
    for (size_t i = 0; i < spans.size(); ++i) {
      vectors[i] = {const_cast<char*>(spans[i].data()), spans[i].size()};
    }
    msghdr message{};
    message.msg_iov = vectors.data();
    message.msg_iovlen = spans.size();
    sent = sendmsg(peer.descriptor, &message, MSG_NOSIGNAL);
  }
  if (sent >= 0) {
    Queue(Operation::kSend, Status::kOk, connection.number, static_cast<size_t>(sent));
  } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
    peer.writable = false;
    peer.send_waits = true;
  } else if (errno == EINTR) {
    Queue(Operation::kSend, Status::kOk, connection.number, 0);
  } else {
    Queue(Operation::kSend, StatusOfErrno(errno), connection.number, 0);
  }
}

void EpollTransport::ShutdownSend(ConnectionId connection) {
  (void)shutdown(Find(connection).descriptor, SHUT_WR);
}

void EpollTransport::Cancel(ConnectionId connection) {
  Peer& peer = Find(connection);
  if (peer.receiving && !peer.receive_done) {
    peer.receive_done = true;
    Queue(Operation::kReceive, Status::kCancelled, connection.number, 0);
  }
  if (peer.send_waits) {
    peer.send_waits = false;
    Queue(Operation::kSend, Status::kCancelled, connection.number, 0);
  }
}

void EpollTransport::Close(ConnectionId connection, bool reset) {
  Peer& peer = Find(connection);
  PURE_CHECK(!peer.receiving && !peer.sending, "a connection is closed with work outstanding");
  if (reset) {
    const linger now{.l_onoff = 1, .l_linger = 0};
    (void)setsockopt(peer.descriptor, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
  }
  close(peer.descriptor);
  peer.descriptor = -1;
  free_.push_back(connection.number);
  --open_;
  accept_again_ns_ = 0;
  ArmListener();
}

size_t EpollTransport::UnsentBytes(ConnectionId connection) const {
  int bytes = 0;
  const Peer& peer = peers_[connection.number];
  return ioctl(peer.descriptor, SIOCOUTQ, &bytes) == 0 && bytes > 0 ? static_cast<size_t>(bytes) : 0;
}

void EpollTransport::Wake() {
  const uint64_t one = 1;
  (void)!write(wake_, &one, sizeof(one));
}

size_t EpollTransport::Wait(int64_t deadline_ns, absl::Span<Completion> completions) {
  if (stopping_ && listener_.descriptor >= 0) FinishAccepting();
  size_t count = TakeQueued(completions);
  count += TakeReadable(completions.subspan(count));
  if (count > 0 && ++polls_skipped_ < kPollsSkippedMax) return count;
  polls_skipped_ = 0;
  Poll(count > 0 ? 0 : deadline_ns);
  count += TakeQueued(completions.subspan(count));
  return count + TakeReadable(completions.subspan(count));
}

// What is handed to the caller is outstanding no more.
void EpollTransport::Deliver(const Completion& completion) {
  if (completion.connection.generation == 0) return;
  Peer& peer = peers_[completion.connection.number];
  if (completion.operation == Operation::kReceive) peer.receiving = false;
  if (completion.operation == Operation::kSend) peer.sending = false;
}

size_t EpollTransport::TakeQueued(absl::Span<Completion> completions) {
  const size_t count = std::min(queue_.size() - queue_begin_, completions.size());
  for (size_t i = 0; i < count; ++i) {
    completions[i] = queue_[queue_begin_ + i];
    Deliver(completions[i]);
  }
  queue_begin_ += count;
  if (queue_begin_ == queue_.size()) {
    queue_.clear();
    queue_begin_ = 0;
  }
  return count;
}

// Receives for whoever may have something. Those that find no room now stay listed.
size_t EpollTransport::TakeReadable(absl::Span<Completion> completions) {
  size_t count = 0;
  size_t taken = 0;
  for (; taken < readable_.size() && count < completions.size(); ++taken) {
    const uint32_t number = readable_[taken];
    Peer& peer = peers_[number];
    if (peer.descriptor >= 0 && peer.receiving && !peer.receive_done && peer.readable) {
      const bool lends = peer.into.empty();
      completions[count] = Completion();
      completions[count].connection = {number, peer.generation};
      if (lends && (completions[count].buffer = buffers_.Take()) == ReceiveBuffers::kNone) break;
      const bool done = TryReceive(number, &completions[count]);
      if (lends && completions[count].lent.empty()) buffers_.Give(completions[count].buffer);
      if (done) Deliver(completions[count++]);
    }
    peer.listed = false;
  }
  readable_.erase(readable_.begin(), readable_.begin() + static_cast<ptrdiff_t>(taken));
  return count;
}

// False: there was nothing after all; the receive goes on waiting.
bool EpollTransport::TryReceive(uint32_t number, Completion* completion) {
  Peer& peer = peers_[number];
  const bool lends = peer.into.empty();
  const MutableBytes into = lends ? buffers_.At(completion->buffer) : peer.into;
  ssize_t received;
  do {
    received = recv(peer.descriptor, into.data(), into.size(), 0);
  } while (received < 0 && errno == EINTR);
  if (received < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
    peer.readable = false;
    return false;
  }
  if (received < 0) {
    completion->status = Status::kReset;
  } else if (received == 0) {
    completion->status = Status::kEnd;
  } else {
    completion->bytes = static_cast<size_t>(received);
    if (lends) completion->lent = Bytes(into.data(), completion->bytes);
    // Fewer than asked for: the edge is used up, but for an end that came with it.
    if (completion->bytes < into.size() && !peer.ended) peer.readable = false;
  }
  return true;
}

void EpollTransport::Poll(int64_t deadline_ns) {
  timespec timeout{};
  timespec* limit = &timeout;
  const int64_t until_ns = accept_again_ns_ == 0 ? deadline_ns : std::min(deadline_ns, accept_again_ns_);
  if (until_ns == INT64_MAX) {
    limit = nullptr;
  } else if (until_ns > 0) {
    const int64_t left_ns = std::max<int64_t>(0, until_ns - NowNs());
    timeout.tv_sec = left_ns / 1'000'000'000;
    timeout.tv_nsec = left_ns % 1'000'000'000;
  }
  const int count = epoll_pwait2(epoll_, events_.data(), static_cast<int>(events_.size()), limit, nullptr);
  for (int i = 0; i < count; ++i) OnEvent(events_[static_cast<size_t>(i)]);
  if (accept_again_ns_ != 0 && NowNs() >= accept_again_ns_) {
    accept_again_ns_ = 0;
    ArmListener();
  }
}

void EpollTransport::OnEvent(const epoll_event& event) {
  if (event.data.u64 == kListenerTag) return Accept();
  if (event.data.u64 == kWakeTag) {
    uint64_t wakes;
    (void)!read(wake_, &wakes, sizeof(wakes));
    return;
  }
  const auto number = static_cast<uint32_t>(event.data.u64);
  Peer& peer = peers_[number];
  if (peer.descriptor < 0 || peer.generation != event.data.u64 >> 32) return;
  const bool broken = (event.events & (EPOLLERR | EPOLLHUP)) != 0;
  peer.ended |= broken || (event.events & EPOLLRDHUP) != 0;
  if (broken || (event.events & (EPOLLIN | EPOLLRDHUP)) != 0) {
    peer.readable = true;
    if (peer.receiving && !peer.receive_done) ListReadable(number);
  }
  if (broken || (event.events & EPOLLOUT) != 0) {
    peer.writable = true;
    if (peer.send_waits) {
      peer.send_waits = false;
      Queue(Operation::kSend, Status::kOk, number, 0);
    }
  }
}

}  // namespace pure::transport
