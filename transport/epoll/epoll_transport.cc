#include "transport/epoll/epoll_transport.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "platforms/linux/clock.h"
#include "runtime/check.h"

// Connections and waiting. Accepting stands in a file of its own.

namespace pure::transport {
namespace {

constexpr size_t kEventsMax = 1024;
constexpr uint32_t kBuffersMax = 1024;  // lent at once: a burst should hold whoever is there
constexpr uint32_t kWaitsWithoutPollMax = 4;

bool WouldBlock(int error) { return error == EAGAIN || error == EWOULDBLOCK; }

}  // namespace

std::unique_ptr<EpollTransport> EpollTransport::Make(const TransportOptions& options,
                                                     std::string* why_not) {
  PURE_CHECK(options.connections > 0, "a transport for no connection");
  absl::StatusOr<std::unique_ptr<EventWaker>> waker = EventWaker::Create();
  if (!waker.ok()) {
    *why_not = absl::StrCat("epoll can not be used: ", waker.status().message());
    return nullptr;
  }
  auto transport = absl::WrapUnique(new EpollTransport(options, *std::move(waker)));
  int error = transport->buffers_.ok() ? transport->set_.Open() : ENOMEM;
  if (error == 0) error = transport->set_.Add(transport->waker_->fd(), EPOLLIN, kWakeTag);
  if (error == 0) return transport;
  *why_not = absl::StrCat("epoll can not be used: ", std::strerror(error));
  return nullptr;
}

EpollTransport::EpollTransport(const TransportOptions& options, std::unique_ptr<EventWaker> waker)
    : set_(kEventsMax),
      waker_(std::move(waker)),
      peers_(options.connections),
      // A receive, a send and the acceptance of each; a lack of descriptors; the end of accepting.
      queue_(3 * size_t{options.connections} + 2),
      buffers_(options.receive_buffer_bytes, std::min(options.connections, kBuffersMax)) {
  free_.reserve(options.connections);
  for (uint32_t number = options.connections; number > 0; --number) free_.push_back(number - 1);
}

EpollTransport::~EpollTransport() {
  for (const Peer& peer : peers_) {
    if (peer.descriptor >= 0) close(peer.descriptor);
  }
  CloseListener(&listener_);
}

EpollTransport::Peer& EpollTransport::Find(ConnectionId connection) {
  PURE_CHECK(connection.number < peers_.size() &&
                 peers_[connection.number].generation == connection.generation &&
                 peers_[connection.number].descriptor >= 0,
             "the connection is closed");
  return peers_[connection.number];
}

void EpollTransport::Queue(Operation operation, Status status, uint32_t number, size_t bytes) {
  Completion completion;
  completion.operation = operation;
  completion.status = status;
  completion.connection = {number, peers_[number].generation};
  completion.bytes = bytes;
  queue_.Push(completion);
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

static_assert(kSendSpansMax <= IOV_MAX);

// Returns as sendmsg does. The vectors are a member, since the compiler would clear them each time
// on the stack.
ssize_t EpollTransport::TrySend(int descriptor, absl::Span<const Bytes> spans) {
  if (spans.size() == 1) {
    return send(descriptor, spans[0].data(), spans[0].size(), MSG_NOSIGNAL);
  }
  for (size_t i = 0; i < spans.size(); ++i) {
    vectors_[i] = {const_cast<char*>(spans[i].data()), spans[i].size()};
  }
  msghdr message{};
  message.msg_iov = vectors_.data();
  message.msg_iovlen = spans.size();
  return sendmsg(descriptor, &message, MSG_NOSIGNAL);
}

// Some of it may be taken before a byte that can not be read (EFAULT): the kernel says the bytes
// first and the fault at the next try, so nothing is counted as sent that was not.
void EpollTransport::Send(ConnectionId connection, absl::Span<const Bytes> spans) {
  Peer& peer = Find(connection);
  PURE_CHECK(!peer.sending, "a send is outstanding");
  PURE_CHECK(!spans.empty() && spans.size() <= kSendSpansMax, "a send of no or too many spans");
  peer.sending = true;
  ssize_t sent = -1;
  if (peer.writable) {
    sent = TrySend(peer.descriptor, spans);
    // A short send does not say why it is short; only this does.
    if (sent < 0 && WouldBlock(errno)) peer.writable = false;
  }
  if (!peer.writable) {
    peer.send_waits = true;
  } else if (sent >= 0 || errno == EINTR) {
    Queue(Operation::kSend, Status::kOk, connection.number,
          static_cast<size_t>(std::max<ssize_t>(sent, 0)));
  } else {
    const Status status = errno == EFAULT ? Status::kUnreadable : Status::kReset;
    Queue(Operation::kSend, status, connection.number, 0);
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
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    (void)setsockopt(peer.descriptor, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  }
  close(peer.descriptor);  // it has no duplicate, so it leaves the set too
  peer.descriptor = -1;
  free_.push_back(connection.number);
  --open_;
  accept_again_ns_ = 0;
  ArmListener();
}

size_t EpollTransport::UnsentBytes(ConnectionId connection) const {
  int bytes = 0;
  const int descriptor = peers_[connection.number].descriptor;
  return ioctl(descriptor, SIOCOUTQ, &bytes) == 0 && bytes > 0 ? static_cast<size_t>(bytes) : 0;
}

size_t EpollTransport::Wait(int64_t deadline_ns, absl::Span<Completion> completions) {
  PURE_CHECK(!completions.empty(), "a wait for no completion");
  if (stopping_ && listener_.descriptor >= 0) FinishAccepting();
  size_t count = TakeReady(completions);
  // What is ready needs no system call, but those whom only the kernel knows get their turn.
  if (count > 0 && ++waits_without_poll_ < kWaitsWithoutPollMax) return count;
  waits_without_poll_ = 0;
  bool woken = Poll(count > 0 ? 0 : deadline_ns);
  for (;;) {
    count += TakeReady(completions.subspan(count));
    if (count > 0 || woken || deadline_ns <= 0) return count;
    if (deadline_ns < INT64_MAX && LinuxClock().MonotonicNs() >= deadline_ns) return 0;
    woken = Poll(deadline_ns);
  }
}

// Whoever comes first takes turns, so that a caller with little room hears of both kinds.
size_t EpollTransport::TakeReady(absl::Span<Completion> completions) {
  readable_first_ = !readable_first_;
  size_t count = readable_first_ ? TakeReadable(completions) : TakeQueued(completions);
  const absl::Span<Completion> rest = completions.subspan(count);
  count += readable_first_ ? TakeQueued(rest) : TakeReadable(rest);
  return count;
}

size_t EpollTransport::TakeQueued(absl::Span<Completion> completions) {
  const size_t count = std::min(queue_.size(), completions.size());
  for (size_t i = 0; i < count; ++i) {
    completions[i] = queue_.Pop();
    HandOut(completions[i]);
  }
  return count;
}

// What is handed out is outstanding no more.
void EpollTransport::HandOut(const Completion& completion) {
  if (completion.operation == Operation::kAccept) return;
  Peer& peer = peers_[completion.connection.number];
  if (completion.operation == Operation::kReceive) peer.receiving = false;
  if (completion.operation == Operation::kSend) peer.sending = false;
}

void EpollTransport::ListReadable(uint32_t number) {
  Peer& peer = peers_[number];
  if (peer.listed) return;
  peer.listed = true;
  peer.next = kEndOfList;
  (readable_tail_ == kEndOfList ? readable_head_ : peers_[readable_tail_].next) = number;
  readable_tail_ = number;
  ++readable_count_;
}

uint32_t EpollTransport::PopReadable() {
  const uint32_t number = readable_head_;
  Peer& peer = peers_[number];
  readable_head_ = peer.next;
  if (readable_head_ == kEndOfList) readable_tail_ = kEndOfList;
  peer.listed = false;
  --readable_count_;
  return number;
}

// Each in the list is looked at once. Whoever finds no free buffer goes to its end, so that those
// who brought memory of their own are not held up.
size_t EpollTransport::TakeReadable(absl::Span<Completion> completions) {
  size_t count = 0;
  for (uint32_t left = readable_count_; left > 0 && count < completions.size(); --left) {
    const uint32_t number = PopReadable();
    const Peer& peer = peers_[number];
    if (peer.descriptor < 0 || !peer.receiving || peer.receive_done || !peer.readable) continue;
    Completion& completion = completions[count];
    completion = Completion();
    completion.connection = {number, peer.generation};
    const bool lends = peer.into.empty();
    if (lends && (completion.buffer = buffers_.Take()) == ReceiveBuffers::kNone) {
      ListReadable(number);
      continue;
    }
    const bool done = TryReceive(number, &completion);
    if (lends && completion.lent.empty()) buffers_.Give(completion.buffer);
    if (!done) continue;
    HandOut(completion);
    ++count;
  }
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
  if (received < 0 && WouldBlock(errno)) {
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
    peer.readable = completion->bytes == into.size() || peer.ended;
  }
  return true;
}

// True: Wake was called.
bool EpollTransport::Poll(int64_t deadline_ns) {
  bool woken = false;
  const bool pauses = accept_again_ns_ != 0;
  for (const epoll_event& event :
       set_.Wait(pauses ? std::min(deadline_ns, accept_again_ns_) : deadline_ns)) {
    if (event.data.u64 == kWakeTag) {
      woken = waker_->Drain();
    } else {
      OnEvent(event.data.u64, event.events);
    }
  }
  if (pauses && LinuxClock().MonotonicNs() >= accept_again_ns_) {
    accept_again_ns_ = 0;
    ArmListener();
  }
  return woken;
}

void EpollTransport::OnEvent(uint64_t tag, uint32_t events) {
  if (tag == kListenerTag) return AcceptSome();
  const auto number = static_cast<uint32_t>(tag);
  Peer& peer = peers_[number];
  if (peer.descriptor < 0 || peer.generation != tag >> 32) return;
  const bool broken = (events & (EPOLLERR | EPOLLHUP)) != 0;
  peer.ended |= broken || (events & EPOLLRDHUP) != 0;
  if (broken || (events & (EPOLLIN | EPOLLRDHUP)) != 0) {
    peer.readable = true;
    if (peer.receiving && !peer.receive_done) ListReadable(number);
  }
  if (broken || (events & EPOLLOUT) != 0) {
    peer.writable = true;
    if (std::exchange(peer.send_waits, false)) Queue(Operation::kSend, Status::kOk, number, 0);
  }
}

}  // namespace pure::transport
