#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "platforms/linux/clock.h"
#include "runtime/check.h"
#include "transport/epoll/epoll_transport.h"

// Listening and accepting.

namespace pure::transport {
namespace {

constexpr int kAcceptsMax = 64;  // of one poll: others get their turn
constexpr int64_t kAcceptAgainNs = 100'000'000;

// The trouble of one client, who has left the queue with it (accept(2), "Error handling"). Whatever
// else it is would be found again at once, so that accepting has to pause.
bool IsOneClients(int error) {
  switch (error) {
    case ECONNABORTED:
    case EINTR:
    case EPROTO:
    case ENOPROTOOPT:
    case ENETDOWN:
    case ENETUNREACH:
    case EHOSTDOWN:
    case EHOSTUNREACH:
    case ENONET:
    case ETIMEDOUT:
      return true;
    default:
      return false;
  }
}

}  // namespace

absl::Status EpollTransport::Listen(const ListenOptions& options, uint16_t* port) {
  PURE_CHECK(listener_.descriptor < 0 && !stopping_, "a transport listens once");
  absl::StatusOr<Listener> listener =
      options.first != nullptr
          ? ShareListener(static_cast<const EpollTransport*>(options.first)->listener_)
          : OpenListener(options);
  if (!listener.ok()) return listener.status();
  listener_ = *std::move(listener);
  *port = listener_.port;
  return absl::OkStatus();
}

void EpollTransport::StartAccepting() {
  PURE_CHECK(listener_.descriptor >= 0 || stopping_, "accepting needs a listener");
  accepting_ = !stopping_;
  ArmListener();
}

void EpollTransport::PauseAccepting() {
  accepting_ = false;
  ArmListener();
}

void EpollTransport::StopAccepting() {
  stopping_ = true;
  accepting_ = false;
  ArmListener();
}

// The listener is watched only while a client could be taken: it is level-triggered, so that no
// queued client is forgotten, and would end every wait. Exclusive: of the threads that wait on one
// socket, a client wakes one.
void EpollTransport::ArmListener() {
  const bool arm = accepting_ && !free_.empty() && accept_again_ns_ == 0;
  if (arm == armed_) return;
  if (!arm) {
    (void)set_.Remove(listener_.descriptor);
    armed_ = false;
  } else if (set_.Add(listener_.descriptor, EPOLLIN | EPOLLEXCLUSIVE, kListenerTag) == 0) {
    armed_ = true;
  } else {
    LackOfDescriptors();
  }
}

void EpollTransport::AcceptSome() {
  for (int i = 0; i < kAcceptsMax && !free_.empty(); ++i) {
    if (!AcceptOne()) break;
  }
  ArmListener();
}

// False: nobody else can be taken now.
bool EpollTransport::AcceptOne() {
  const int descriptor =
      accept4(listener_.descriptor, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (descriptor >= 0) return Adopt(descriptor);
  if (errno == EAGAIN || errno == EWOULDBLOCK) return false;
  if (IsOneClients(errno)) return true;
  LackOfDescriptors();
  return false;
}

bool EpollTransport::Adopt(int descriptor) {
  const uint32_t number = free_.back();
  Peer& peer = peers_[number];
  uint32_t generation = peer.generation + 1;
  if (generation == 0) generation = 1;
  if (set_.Add(descriptor, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, TagOf(number, generation)) !=
      0) {
    close(descriptor);
    LackOfDescriptors();
    return false;
  }
  if (listener_.tcp) {
    const int one = 1;
    (void)setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
  }
  const Peer before = std::exchange(peer, Peer());
  peer.next = before.next;
  peer.listed = before.listed;
  peer.generation = generation;
  peer.descriptor = descriptor;
  free_.pop_back();
  ++open_;
  lacking_ = false;
  Queue(Operation::kAccept, Status::kOk, number, 0);
  return true;
}

// Said once; tried again when a connection is closed, and after a moment, since other threads of
// the process may give descriptors back too.
void EpollTransport::LackOfDescriptors() {
  accept_again_ns_ = LinuxClock().MonotonicNs() + kAcceptAgainNs;
  if (!std::exchange(lacking_, true)) QueueAccept(Status::kDescriptors);
}

// The kernel's queue is taken dry as far as there are numbers, then the listener goes.
void EpollTransport::FinishAccepting() {
  while (!free_.empty() && AcceptOne()) {
  }
  CloseListener(&listener_);
  QueueAccept(Status::kCancelled);
}

// About accepting itself: it names no connection.
void EpollTransport::QueueAccept(Status status) {
  Completion completion;
  completion.operation = Operation::kAccept;
  completion.status = status;
  queue_.Push(completion);
}

}  // namespace pure::transport
