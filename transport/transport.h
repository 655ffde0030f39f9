#pragma once

// Transport: bytes in and out of one connection thread, by completions. Operations are submitted,
// Wait returns what completed. Readiness (epoll) is turned into completions inside its backend;
// io_uring has them of its own.
//
// At most one receive and one send of a connection are outstanding. A connection is named by a
// ConnectionId; its number is reused, its generation is not, so a late completion is told from a
// new one.
//
// Lifetime: memory given to Receive, and bytes given to Send, belong to the transport until the
// completion that names them was returned by Wait; the array of spans only until Send returns.
// Bytes lent by a completion belong to the caller until it gives them back with Return, before the
// next Wait if it can. Closing is: Cancel, wait for every outstanding completion, Close.
//
// Thread: one thread's, but for Wake. Errors of one connection are results of its operations, never
// of the transport. Cost: no call but the factory's and Listen allocates.

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/base/attributes.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/bytes.h"
#include "runtime/port.h"

namespace pure::transport {

struct ConnectionId {
  uint32_t number = 0;
  uint32_t generation = 0;  // 0 names no connection
  friend bool operator==(ConnectionId a, ConnectionId b) {
    return a.number == b.number && a.generation == b.generation;
  }
};

enum class Operation : uint8_t { kAccept, kReceive, kSend };

enum class Status : uint8_t {
  kOk,
  kEnd,         // receive: the peer ended its side in order
  kReset,       // the connection broke (ECONNRESET, EPIPE, ETIMEDOUT …)
  kCancelled,   // by Cancel, or accepting was stopped
  kUnreadable,  // send: the bytes given can not be read (a mapped page with a media error: EFAULT)
  // accept: no descriptor or kernel memory is left. Accepting pauses until a connection is closed
  // or a moment has passed; said once until a client could be taken again.
  kDescriptors,
};

struct Completion {
  Operation operation = Operation::kReceive;
  Status status = Status::kOk;
  ConnectionId connection;  // kAccept with kOk: the new one
  uint32_t buffer = 0;      // which lent buffer, for Return
  size_t bytes = 0;         // received or sent; a send may be short, also 0: submit the rest
  Bytes lent;               // what ReceiveLent brought; empty for other operations
};

// Where to listen; the same on every thread. One of the three.
struct ListenAddress {
  enum class Family : uint8_t { kIpv4, kIpv6, kUnix, kDescriptor };
  Family family = Family::kIpv4;
  std::string address = "127.0.0.1";  // numeric IPv4 or IPv6 without brackets, or the socket's path
  uint16_t port = 0;                  // 0: the kernel chooses
  // kDescriptor: a listening socket that was passed in. It stays the caller's, to be closed when
  // every thread listens; a descriptor left open keeps clients waiting after the stop.
  int descriptor = -1;
};

class Transport;

struct ListenOptions {
  ListenAddress address;
  bool share_port = false;  // several threads listen on it (SO_REUSEPORT)
  // With share_port: fail when anybody else listens on the port already. For the first of the
  // threads, since sockets that share a port would also share it with another server of the same
  // user.
  bool exclusive_check = false;
  // A transport, of the same kind, that listens already: its queue is shared, and nothing else here
  // counts. For the other threads of a unix socket, which has one queue.
  const Transport* first = nullptr;
  int backlog = 1024;
};

struct TransportOptions {
  uint32_t connections = 1024;         // open at once at most
  size_t receive_buffer_bytes = 8192;  // of one lent buffer
};

class Transport : public Waker {
 public:
  // The listener of this thread. *port: the port really bound (0 for unix sockets). Errors say what
  // and why.
  virtual absl::Status Listen(const ListenOptions& options, uint16_t* port) = 0;

  // Accepting: one completion for each new connection until StopAccepting, or until `connections`
  // are open (it goes on when one is closed). After StopAccepting, what the kernel had queued is
  // still accepted dry, then one kAccept completion says kCancelled and the listener is closed.
  virtual void StartAccepting() = 0;
  virtual void PauseAccepting() = 0;  // the kernel queues; StartAccepting goes on
  virtual void StopAccepting() = 0;

  // Receives what there is, up to one buffer, into the transport's own memory, and lends it. No
  // memory is held while nothing comes.
  virtual void ReceiveLent(ConnectionId connection) = 0;
  // Receives what there is, at least one byte, into `into`. REQUIRES: not empty.
  virtual void Receive(ConnectionId connection, MutableBytes into) = 0;
  // Gives the bytes that a completion lent back.
  virtual void Return(const Completion& completion) = 0;

  // Sends the spans, in order. At most kSendSpansMax of them, none empty.
  virtual void Send(ConnectionId connection, absl::Span<const Bytes> spans) = 0;

  // Ends our side in order, after what was sent (half close).
  virtual void ShutdownSend(ConnectionId connection) = 0;
  // Asks for the end of what is outstanding; each operation still completes exactly once (with what
  // it did, or kCancelled).
  virtual void Cancel(ConnectionId connection) = 0;
  // Frees the number. `reset`: without waiting for unsent bytes (RST). REQUIRES: nothing is
  // outstanding.
  virtual void Close(ConnectionId connection, bool reset) = 0;

  // Returns completed operations, at most completions.size(), waiting until there is one, Wake was
  // called, or the monotonic clock reaches `deadline_ns` (INT64_MAX: no deadline; 0: does not
  // wait). Returns how many. Starvation-free: work that is submitted while completions are handled
  // does not keep others from completing.
  virtual size_t Wait(int64_t deadline_ns, absl::Span<Completion> completions) = 0;

  // Bytes that were sent and that the peer has not acknowledged; 0 when that is not known. Not for
  // every request: a call.
  virtual size_t UnsentBytes(ConnectionId connection) const = 0;

  // Connections that were accepted and not closed.
  virtual uint32_t open_connections() const = 0;

  virtual Bytes name() const = 0;  // "epoll", "io_uring", "fake"
};

inline constexpr size_t kSendSpansMax = 1024;  // what one call of Linux takes: UIO_MAXIOV

}  // namespace pure::transport
