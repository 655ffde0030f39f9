#pragma once

// FakeTransport: a transport in memory, for tests of what stands on the seam: no socket, no thread,
// no time but the one that the test moves, and the same course of events for the same seed.
//
// It is as strict as the contract lets it be: bytes given to Send are read, and memory given to
// Receive is written, only when the completion is made; lent bytes are overwritten when they are
// returned; misuse ends the test. With a seed it also completes in any order, late, and by pieces,
// and lets a cancelled operation end either way.
//
// Thread: one thread's, but for Wake. Lifetime: borrows the clock; clients may outlive it.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/base/attributes.h"
#include "runtime/port.h"
#include "transport/fake/fake_stream.h"
#include "transport/transport.h"

namespace pure::transport {

struct FakeOptions {
  TransportOptions transport;
  uint64_t seed = 0;                 // 0: at once, whole and in order
  uint32_t lent_buffers_max = 64;    // more than these wait for a Return
  size_t window_bytes = 256u << 10;  // of each client until it sets another
};

class FakeTransport final : public Transport {
 public:
  // Called by a Wait that finds nothing ready, once: it moves the clock to the deadline, or drives
  // clients. What became ready is returned by that Wait. Without one, such a Wait returns at once.
  using Idle = std::function<void(int64_t deadline_ns)>;

  FakeTransport(const FakeOptions& options, Clock* clock ABSL_ATTRIBUTE_LIFETIME_BOUND);
  ~FakeTransport() override;

  void set_idle(Idle idle) { idle_ = std::move(idle); }
  // Every send made from now on ends with `status` (kUnreadable, kReset …); kOk: as it should.
  void set_send_status(Status status) { send_status_ = status; }
  // While it is set, no client can be taken.
  void set_descriptors_lacking(bool lacking) { descriptors_lacking_ = lacking; }
  uint32_t lent_buffers() const { return lent_count_; }  // not returned yet

  // Puts a client into the queue. False: refused. For FakeClient.
  bool Connect(const std::shared_ptr<FakeStream>& stream);

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
  void Wake() override { woken_.store(true, std::memory_order_release); }
  size_t UnsentBytes(ConnectionId connection) const override;
  uint32_t open_connections() const override { return open_; }
  Bytes name() const override { return "fake"; }

 private:
  struct Peer {
    std::shared_ptr<FakeStream> stream;  // null: not open
    uint32_t generation = 0;
    bool receiving = false;
    bool receive_cancelled = false;
    MutableBytes into;  // empty: a lent receive
    bool sending = false;
    bool send_cancelled = false;
    std::vector<Bytes> spans;
    bool shut = false;  // ShutdownSend was called
  };
  // One thing that can be completed now.
  struct Ready {
    Operation operation;
    uint32_t number;  // of the connection; none for kAccept
  };

  const Peer& Find(ConnectionId connection) const;
  Peer& Find(ConnectionId connection);
  void SubmitReceive(ConnectionId connection, MutableBytes into);
  bool CanAccept() const;
  bool CanReceive(const Peer& peer) const;
  static bool CanSend(const Peer& peer);
  void ListReady();
  void ListAccepts();
  size_t Complete(absl::Span<Completion> completions);
  bool CompleteOne(const Ready& ready, Completion* completion);
  bool CompleteAccept(Completion* completion);
  bool CompleteReceive(Peer* peer, Completion* completion);
  void CompleteSend(Peer* peer, Completion* completion);
  MutableBytes Lend(size_t bytes, uint32_t* buffer);
  bool OneIn(uint32_t n);       // false without a seed
  size_t PartOf(size_t bytes);  // 1 to bytes; all of them without a seed

  const FakeOptions options_;
  Clock* const clock_;
  Idle idle_;
  std::mt19937_64 random_;
  std::atomic<bool> woken_{false};

  bool listening_ = false;
  bool accepting_ = false;
  bool stopping_ = false;
  bool lacking_said_ = false;
  bool descriptors_lacking_ = false;
  Status send_status_ = Status::kOk;
  size_t backlog_max_ = 0;
  std::deque<std::shared_ptr<FakeStream>> backlog_;

  uint32_t open_ = 0;
  std::vector<Peer> peers_;
  std::vector<uint32_t> free_;
  std::vector<Ready> ready_;
  uint32_t first_place_ = 0;  // where the next wait begins: 0: accepting, else a number + 1
  bool receive_first_ = false;

  struct LentBuffer {
    std::unique_ptr<char[]> data;  // null: free
    size_t bytes = 0;
  };
  std::vector<LentBuffer> lent_;
  uint32_t lent_count_ = 0;
  std::deque<LentBuffer> returned_;  // kept for a while, so that whoever still looks finds no data
};

}  // namespace pure::transport
