#pragma once

// Owner: runs the one app of a module with states for several shards. A shard hands its ready
// requests over in batches and gets them back applied, one batch for each burst; it completes and
// answers them itself.
//
// Thread: Run and what it calls: the owner's own. Post, TakeBack: the shard's whose port it is.
// Stop: any. Lifetime: borrows its parts; ports live as long as it. Cost: no allocation after
// construction but what the app's answers need; one lock and at most one wake-up for each batch.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "executor/executor.h"
#include "executor/gather.h"
#include "executor/job.h"
#include "modules/published_look.h"
#include "runtime/port.h"

namespace pure::executor {

class Owner {
 public:
  struct Parts {
    Executor::Parts executor;  // with states
    Clock* clock;
    Parker* parker;
    std::vector<Waker*> shards;  // ends the wait of each
    size_t jobs_max;             // of one shard, at once
  };
  explicit Owner(const Parts& parts);

  // ---- Shards; by number ----
  // Hands jobs over. REQUIRES: no more than jobs_max of this shard are not taken back.
  void Post(size_t shard, absl::Span<const Job> jobs) ABSL_LOCKS_EXCLUDED(mutex_);
  // What was applied since the last call, in the order of the bursts. Valid until the next call.
  absl::Span<Applied> TakeBack(size_t shard) ABSL_LOCKS_EXCLUDED(mutex_);

  // The states as their last save left them, for who answers views beside it.
  const modules::PublishedLook* published() const ABSL_ATTRIBUTE_LIFETIME_BOUND {
    return &published_;
  }

  // ---- The owner's thread ----
  // Serves until Stop was called; what was handed over by then is applied.
  void Run() ABSL_LOCKS_EXCLUDED(mutex_);

  void Stop() ABSL_LOCKS_EXCLUDED(mutex_);
  ExecutorCounters counters() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Outbox {
    std::vector<Applied> filling;  // guarded by mutex_
    std::vector<Applied> taken;    // the shard's
  };

  bool TakeRound() ABSL_LOCKS_EXCLUDED(mutex_);
  void HandBack(absl::Span<Applied> burst) ABSL_LOCKS_EXCLUDED(mutex_);

  const Parts parts_;
  modules::PublishedLook published_;
  Executor executor_;
  Gather gather_;
  std::vector<Job> round_;
  std::vector<uint32_t> round_shards_;  // of round_
  size_t handed_back_ = 0;              // of the round at hand
  std::vector<bool> woken_;             // shards, of the burst at hand

  mutable absl::Mutex mutex_;
  std::vector<Job> inbox_ ABSL_GUARDED_BY(mutex_);
  std::vector<uint32_t> inbox_shards_ ABSL_GUARDED_BY(mutex_);
  std::vector<Outbox> outboxes_;
  bool parked_ ABSL_GUARDED_BY(mutex_) = false;  // a job has to wake it
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  ExecutorCounters counters_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace pure::executor
