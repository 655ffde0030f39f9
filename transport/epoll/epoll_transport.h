#pragma once

// EpollTransport: completions made of readiness. A socket is registered once, edge-triggered, and a
// request costs no epoll_ctl. A send is tried when it is submitted and completes with what the
// kernel took; when it took nothing, a completion of 0 bytes comes with the next writable edge.
// A receive is tried in Wait, when an edge said that there may be something; one that brought less
// than it had room for has used its edge up (epoll(7), "Questions and answers" 9), unless the end
// of the stream came with that edge and is still to be read.
//
// Thread: one thread's, but for Wake. Lifetime: owns its descriptors.

#include <sys/types.h>
#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "platforms/linux/waker.h"
#include "transport/epoll/completion_queue.h"
#include "transport/epoll/epoll_set.h"
#include "transport/epoll/listener.h"
#include "transport/epoll/receive_buffers.h"
#include "transport/transport.h"

namespace pure::transport {

class EpollTransport final : public Transport {
 public:
  // Null and *why_not when the kernel lacks something. REQUIRES: options.connections is not 0.
  static std::unique_ptr<EpollTransport> Make(const TransportOptions& options,
                                              std::string* why_not);
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
  void Wake() override { waker_->Wake(); }
  size_t UnsentBytes(ConnectionId connection) const override;
  uint32_t open_connections() const override { return open_; }
  Bytes name() const override { return "epoll"; }

 private:
  static constexpr uint32_t kEndOfList = UINT32_MAX;
  // Tags in the set of what is no connection.
  static constexpr uint64_t kListenerTag = UINT64_MAX;
  static constexpr uint64_t kWakeTag = UINT64_MAX - 1;
  static uint64_t TagOf(uint32_t number, uint32_t generation) {
    return uint64_t{generation} << 32 | number;
  }

  struct Peer {
    int descriptor = -1;
    uint32_t generation = 0;
    MutableBytes into;           // of a direct receive; empty: a lent one
    uint32_t next = kEndOfList;  // in the list of those that may have something to receive
    bool listed = false;         // in that list; stays when the number is used anew
    bool readable = false;       // an edge came that is not used up
    bool ended = false;          // its end is on the way: read on to it
    bool writable = true;        // the kernel may take something
    bool receiving = false;      // a receive is submitted and not handed out
    bool receive_done = false;   // and its completion is queued
    bool sending = false;        // a send is submitted and not handed out
    bool send_waits = false;     // and waits for a writable edge
  };

  EpollTransport(const TransportOptions& options, std::unique_ptr<EventWaker> waker);

  // Accepting.
  void ArmListener();
  void AcceptSome();
  bool AcceptOne();
  bool Adopt(int descriptor);
  void LackOfDescriptors();
  void FinishAccepting();

  // Connections.
  Peer& Find(ConnectionId connection);
  void Queue(Operation operation, Status status, uint32_t number, size_t bytes);
  void QueueAccept(Status status);
  void SubmitReceive(ConnectionId connection, MutableBytes into);
  ssize_t TrySend(int descriptor, absl::Span<const Bytes> spans);
  void ListReadable(uint32_t number);
  uint32_t PopReadable();
  bool TryReceive(uint32_t number, Completion* completion);

  // Waiting.
  size_t TakeReady(absl::Span<Completion> completions);
  size_t TakeQueued(absl::Span<Completion> completions);
  size_t TakeReadable(absl::Span<Completion> completions);
  void HandOut(const Completion& completion);
  bool Poll(int64_t deadline_ns);
  void OnEvent(uint64_t tag, uint32_t events);

  EpollSet set_;
  const std::unique_ptr<EventWaker> waker_;
  Listener listener_;
  bool accepting_ = false;
  bool stopping_ = false;        // accepting ends when the queue is dry
  bool armed_ = false;           // the set watches the listener
  bool lacking_ = false;         // kDescriptors was said since the last client was taken
  int64_t accept_again_ns_ = 0;  // no descriptor was left: not before; 0: any time
  uint32_t open_ = 0;
  uint32_t waits_without_poll_ = 0;
  bool readable_first_ = false;
  std::vector<Peer> peers_;
  std::vector<uint32_t> free_;  // numbers, last closed first
  uint32_t readable_head_ = kEndOfList;
  uint32_t readable_tail_ = kEndOfList;
  uint32_t readable_count_ = 0;
  CompletionQueue queue_;
  ReceiveBuffers buffers_;
  std::array<iovec, kSendSpansMax> vectors_;  // of the send that is being made
};

}  // namespace pure::transport
