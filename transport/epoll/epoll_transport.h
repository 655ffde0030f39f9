#pragma once

// EpollTransport: completions made of readiness. Sockets are registered once, edge-triggered; a request costs no
// epoll_ctl. A send is tried when it is submitted and completes with what the kernel took; when it took nothing, the
// completion of 0 bytes comes with the next writable edge.
//
// Thread: one thread's, but for Wake. Source: epoll(7), "Questions and answers" 9, on when an edge is used up.

#include <memory>
#include <string>
#include <vector>

#include "transport/epoll/listener.h"
#include "transport/epoll/receive_buffers.h"
#include "transport/transport.h"

struct epoll_event;

namespace pure::transport {

class EpollTransport final : public Transport {
 public:
  // Null and *why_not when the kernel gives no epoll set.
  static std::unique_ptr<EpollTransport> Make(const TransportOptions& options, std::string* why_not);
  ~EpollTransport() override;

  absl::Status Listen(const ListenOptions& options, uint16_t* port) override;
  void StartAccepting() override;
  void PauseAccepting() override;
  void StopAccepting() override;
  void ReceiveLent(ConnectionId connection) override;
  void Receive(ConnectionId connection, MutableBytes into) override;
  void Return(const Completion& completion) override;
  void Send(ConnectionId connection, absl::Span<const Bytes> spans) override;
  void ShutdownSend(ConnectionId connection) override;
  void Cancel(ConnectionId connection) override;
  void Close(ConnectionId connection, bool reset) override;
  size_t Wait(int64_t deadline_ns, absl::Span<Completion> completions) override;
  void Wake() override;
  size_t UnsentBytes(ConnectionId connection) const override;
  uint32_t open_connections() const override { return open_; }
  Bytes name() const override { return "epoll"; }

 private:
  struct Peer {
    int descriptor = -1;
    uint32_t generation = 0;
    MutableBytes into;         // of a direct receive
    bool readable = false;     // an edge came that is not used up
    bool writable = true;
    bool ended = false;        // the other side has sent its end: read on to it
    bool receiving = false;    // a receive is submitted and not delivered
    bool receive_done = false;  // and its completion is queued
    bool sending = false;      // the same for a send
    bool send_waits = false;   // for a writable edge
    bool listed = false;       // in readable_
  };

  explicit EpollTransport(const TransportOptions& options);
  bool Start(std::string* why_not);
  Peer& Find(ConnectionId connection);
  void Queue(Operation operation, Status status, uint32_t number, size_t bytes);
  void QueueAccept(Status status);
  void ListReadable(uint32_t number);
  void SubmitReceive(ConnectionId connection, MutableBytes into);
  bool TryReceive(uint32_t number, Completion* completion);
  size_t TakeQueued(absl::Span<Completion> completions);
  size_t TakeReadable(absl::Span<Completion> completions);
  void Deliver(const Completion& completion);
  void Poll(int64_t deadline_ns);
  void OnEvent(const epoll_event& event);
  void Accept();
  bool AcceptOne();
  void Adopt(int descriptor);
  void ArmListener();
  void FinishAccepting();

  const TransportOptions options_;
  int epoll_ = -1;
  int wake_ = -1;
  Listener listener_;
  bool accepting_ = false;
  bool stopping_ = false;         // accepting ends when the queue is dry
  bool armed_ = false;            // the epoll set tells of the listener
  int64_t accept_again_ns_ = 0;   // no descriptor was left: not before
  uint32_t open_ = 0;
  uint32_t polls_skipped_ = 0;
  std::vector<Peer> peers_;
  std::vector<uint32_t> free_;      // numbers
  std::vector<uint32_t> readable_;  // numbers with a receive that may find something
  std::vector<Completion> queue_;   // done and not delivered
  size_t queue_begin_ = 0;
  std::vector<epoll_event> events_;
  ReceiveBuffers buffers_;
};

}  // namespace pure::transport
