#pragma once

// Shard: one connection thread: its transport, connections, runtime and executor, and the loop that
// drives them.
//
// A turn of the loop: wait for completions, let each connection take its own, run what became ready
// as a round in bursts, answer each burst after its save, look at deadlines. Where an owner runs
// the app, the shard answers views itself, but for those whose connection waits for the owner:
// requests of one connection see each other in their order.
//
// Thread: Run and everything it calls: the shard's own. Stop: any thread and signal handlers.
// statistics(): any. Lifetime: borrows what it is given for its own life. Cost: allocates at
// construction; a turn allocates nothing but what the runtime (ingress) and the app's replies need.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/types/span.h"
#include "executor/executor.h"
#include "executor/job.h"
#include "executor/owner.h"
#include "executor/reader.h"
#include "runtime/port.h"
#include "runtime/runtime.h"
#include "transport/connection.h"
#include "transport/services.h"
#include "transport/statistics.h"
#include "transport/transport.h"

namespace pure::transport {

struct ShardOptions {
  uint32_t connections = 1024;
  size_t budget_bytes = 64u << 20;
  size_t receive_buffer_bytes = 8192;  // as the transport was made with
  int64_t stop_ns = 10'000'000'000;    // longest stop
  ConnectionOptions connection;
};

class Shard {
 public:
  struct Parts {
    Transport* transport;
    Memory* memory;
    Clock* clock;
    const modules::Module* module;
    store::StoreHandle* store;
    modules::States* states = nullptr;  // of the module; null for one without
    Entropy* entropy = nullptr;         // for the inputs of a module
    // Runs the app for all shards; null: this shard runs it. Borrowed; outlives the shard's turns.
    executor::Owner* owner = nullptr;
    size_t number = 0;  // of this shard, to the owner
    const Router* router;
    const Pages* pages;
    const FaultAnswers* faults;
  };
  Shard(const Parts& parts, const ShardOptions& options);
  ~Shard();
  Shard(const Shard&) = delete;
  Shard& operator=(const Shard&) = delete;

  // Serves until Stop was called and every connection has ended, or its time to stop is over.
  void Run();
  // The same by hand, for tests: Start once, then Turn until it says false. A turn waits until
  // `deadline_ns` at most.
  void Start();
  bool Turn(int64_t deadline_ns);

  // Begins to stop: no new connections, what was taken is answered, then connections close.
  void Stop();
  // The same, but requests that still come on open connections are run too, each as its
  // connection's last: somebody else serves the listener's clients from now on.
  void Retire();

  // Requests that it hands over at once, at most.
  static size_t JobsMax(const ShardOptions& options);

  const Statistics& statistics() const ABSL_ATTRIBUTE_LIFETIME_BOUND { return statistics_; }

 private:
  void Handle(const Completion& completion);
  void Accepted(ConnectionId id);
  void RunRounds();
  void Distribute(size_t count);
  void ReadViews();
  bool AwaitsOwner() const;
  void TakeBack();
  Connection* WhoAwaits(Ticket ticket);
  void FinishBurst(absl::Span<executor::Applied> burst);
  void ExpireDeadlines();
  void BeginStop(bool refuses);
  int64_t WaitUntil() const;
  int64_t MakeRoomAt() const;
  void MakeRoom();
  void UpdateTime();
  void PublishCounts();

  const Parts parts_;
  const ShardOptions options_;
  Runtime runtime_;
  std::unique_ptr<executor::Executor> executor_;  // null: the owner's
  std::unique_ptr<executor::Reader> reader_;      // beside an owner
  Services services_;
  std::vector<std::unique_ptr<Connection>> connections_;  // by number, made when first used
  std::vector<executor::Job> jobs_;
  std::vector<executor::Job> views_;     // to be answered here
  std::vector<executor::Job> behind_;    // for the owner, once they are
  std::vector<executor::Applied> read_;  // of them
  std::vector<Completion> completions_;
  std::vector<uint32_t> answered_;  // connections of the burst that is being answered
  int64_t date_until_ns_ = 0;
  bool accepting_ = true;  // the transport has not said that accepting ended
  enum class Asked : uint8_t { kNothing, kToRetire, kToStop };
  std::atomic<Asked> asked_{Asked::kNothing};
  Statistics statistics_;
};

}  // namespace pure::transport
