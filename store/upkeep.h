#pragma once

// Upkeep: what an open store does off the commit path, in bounded steps: the next segment in time,
// compaction, merging of long lists of extents, a checkpoint now and then.
//
// Thread: any; one step at a time. Lifetime: borrows all; destroyed before them.

#include <cstdint>

#include "absl/base/attributes.h"
#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "store/checkpointer.h"
#include "store/committer.h"
#include "store/compactor.h"
#include "store/index.h"
#include "store/log.h"
#include "store/merger.h"

namespace pure::store {

class Upkeep {
 public:
  Upkeep(Index* index ABSL_ATTRIBUTE_LIFETIME_BOUND, Log* log ABSL_ATTRIBUTE_LIFETIME_BOUND,
         Committer* committer ABSL_ATTRIBUTE_LIFETIME_BOUND, uint64_t segment_bytes,
         uint64_t checkpoint_after_bytes);

  bool HasWork() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Whether a rest before the next step would make commits wait.
  bool IsUrgent() const { return log_.WantsSpareUrgently(); }
  // One step. True: there is more to do.
  bool Step() ABSL_LOCKS_EXCLUDED(mutex_);
  // When there was no save for a while: proves the last one, takes up the merges that were put off,
  // and frees what nobody sees.
  void Settle() ABSL_LOCKS_EXCLUDED(mutex_);
  // As ExtentStore::Compact.
  absl::Status Compact(absl::FunctionRef<void(uint64_t done, uint64_t all)> progress)
      ABSL_LOCKS_EXCLUDED(mutex_);

  uint64_t moved_bytes() const { return compactor_.moved_bytes() + merger_.moved_bytes(); }

 private:
  Index& index_;
  Log& log_;
  Committer& committer_;
  mutable absl::Mutex mutex_;
  Merger merger_;  // its parts for committing threads are safe without the lock
  Compactor compactor_;
  Checkpointer checkpointer_;
};

}  // namespace pure::store
