#pragma once

// Owner: runs the one app of a module with states for several shards. A shard hands its ready
// requests over in batches and gets them back applied, one batch for each burst; it completes and
// answers them itself.
//
// Thread: Run and what it calls: the owner's own. Post, TakeBack, MaySleep: the shard's whose
// number it is. Others: any. Lifetime: borrows its parts. Cost: no allocation after construction
// but what the app's answers need; one lock for each batch, and a wake-up only for who sleeps.

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
  // Whether nothing is to be taken back: the shard may wait then, and will be woken.
  bool MaySleep(size_t shard) ABSL_LOCKS_EXCLUDED(mutex_);

  // The states as their last save left them, for who answers views beside it.
  const modules::PublishedLook* published() const ABSL_ATTRIBUTE_LIFETIME_BOUND {
    return &published_;
  }

  // ---- The owner's thread ----
  // Serves until Stop was called; what was handed over by then is applied.
  void Run() ABSL_LOCKS_EXCLUDED(mutex_);

  // From now on it does not wait for requests that answers bring back.
  void StopGathering() ABSL_LOCKS_EXCLUDED(mutex_);
  void Stop() ABSL_LOCKS_EXCLUDED(mutex_);
  ExecutorCounters counters() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Outbox {
    std::vector<Applied> filling;  // guarded by mutex_
    bool sleeps = false;           // the shard; guarded by mutex_
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
  std::vector<bool> sleeping_;          // shards that are woken for the burst at hand

  mutable absl::Mutex mutex_;
  std::vector<Job> inbox_ ABSL_GUARDED_BY(mutex_);
  std::vector<uint32_t> inbox_shards_ ABSL_GUARDED_BY(mutex_);
  std::vector<Outbox> outboxes_;
  size_t wakes_at_ ABSL_GUARDED_BY(mutex_) = 0;  // so many jobs wake it; 0: it is awake
  bool gathering_ ABSL_GUARDED_BY(mutex_) = true;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  ExecutorCounters counters_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace pure::executor
