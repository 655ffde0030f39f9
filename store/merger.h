#pragma once

// Merger: makes long lists of extents short again. Many small changes of a value leave many small
// extents; those that lie side by side in it are written once more, as one.
//
// Threads: Note: any. HasWork and Step: one at a time. Lifetime: borrows all; destroyed before
// them.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "absl/synchronization/mutex.h"
#include "runtime/bytes.h"
#include "runtime/result.h"
#include "store/committer.h"
#include "store/index.h"
#include "store/mover.h"

namespace pure::store {

class Merger {
 public:
  // A list this long is merged. An entry with twice as many extents would take 16 KiB.
  static constexpr size_t kLongList = 256;

  Merger(Index* index ABSL_ATTRIBUTE_LIFETIME_BOUND,
         Committer* committer ABSL_ATTRIBUTE_LIFETIME_BOUND, size_t batch_bytes)
      : batch_bytes_(batch_bytes), mover_(index, committer, batch_bytes) {}

  // A value with kLongList extents or more was saved.
  void Note(Bytes key) ABSL_LOCKS_EXCLUDED(mutex_);

  bool HasWork() const ABSL_LOCKS_EXCLUDED(mutex_);
  // One save of at most about batch_bytes. Not kOk: the save or the read failed, and the
  // value stays as it is until it is noted again.
  Result Step() ABSL_LOCKS_EXCLUDED(mutex_);

  uint64_t moved_bytes() const { return mover_.moved_bytes(); }

 private:
  // Keys beyond them are noted again at their next save.
  static constexpr size_t kNotedMax = 1024;
  // So many notes after a merge are left out: a save that was staged before a merge undoes it, and
  // while a value is changed all the time each merge would be for nothing.
  static constexpr size_t kNotesLeftOut = 32;

  const size_t batch_bytes_;
  Mover mover_;
  mutable absl::Mutex mutex_;
  absl::flat_hash_set<std::string> noted_ ABSL_GUARDED_BY(mutex_);
  size_t notes_left_out_ ABSL_GUARDED_BY(mutex_) = kNotesLeftOut;  // since the last merge
};

}  // namespace pure::store
