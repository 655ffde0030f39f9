#pragma once

// Merger: makes long lists of extents short again. Many small changes of a value leave many small
// extents; those that lie side by side in it are written once more, as one.
//
// Threads: Note: any. The rest: one at a time. Lifetime: borrows all; destroyed before them.

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
  // There was no save for a while: what was put off is work now.
  void Settle() ABSL_LOCKS_EXCLUDED(mutex_);

  bool HasWork() const ABSL_LOCKS_EXCLUDED(mutex_);
  // One save of at most batch_bytes. Not kOk: the save or the read failed, and the value stays as
  // it is until it is noted again.
  Result Step() ABSL_LOCKS_EXCLUDED(mutex_);

  uint64_t moved_bytes() const { return mover_.moved_bytes(); }

 private:
  struct Task {
    std::string key;
    uint64_t revision = 0;  // 0: any
  };

  // Keys beyond them are noted again at their next save.
  static constexpr size_t kNotedMax = 1024;
  // So many notes after a merge are put off: a save that was staged before a merge undoes it, and
  // while a value is changed all the time each merge would be for nothing.
  static constexpr size_t kNotesPutOff = 32;

  bool Take(Task* task) ABSL_LOCKS_EXCLUDED(mutex_);

  const size_t batch_bytes_;
  Mover mover_;
  mutable absl::Mutex mutex_;
  absl::flat_hash_set<std::string> noted_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_set<std::string> put_off_ ABSL_GUARDED_BY(mutex_);
  size_t notes_put_off_ ABSL_GUARDED_BY(mutex_) = kNotesPutOff;  // since the last merge
  // Had more to merge than one save took; goes on unless the value was written meanwhile.
  Task unfinished_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace pure::store
