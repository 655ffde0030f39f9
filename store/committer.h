#pragma once

// Committer: makes staged writes durable, in groups. The thread that finds nobody committing leads:
// it makes one frame of everything that waits, saves it, and wakes the others; what came meanwhile
// is the next group. A lone commit waits for nobody.
//
// Threads: any number may Commit, each with its own request. Lifetime: borrows index and log.
// Cost: no allocation but the index's versions, once the buffers have grown.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "runtime/result.h"
#include "runtime/thread_role.h"
#include "store/frame_writer.h"
#include "store/index.h"
#include "store/log.h"
#include "store/staging.h"

namespace pure::store {

// One handle's place in the queue.
struct CommitRequest {
  Staging* staging = nullptr;

  // The committer's, while the request waits.
  bool done = false;
  Result result = Result::kOk;
  absl::CondVar woken;
};

class Committer {
 public:
  Committer(Index* index ABSL_ATTRIBUTE_LIFETIME_BOUND, Log* log ABSL_ATTRIBUTE_LIFETIME_BOUND,
            size_t save_bytes_max)
      : index_(index), log_(log), save_bytes_max_(save_bytes_max) {}

  // Called after a save, by its thread, for each value with at least so many extents. Set once.
  void OnLongList(size_t extent_count, std::function<void(Bytes key)> note) {
    long_list_ = extent_count;
    note_long_list_ = std::move(note);
  }

  // As StoreHandle::Commit; the results are in the staging, which was sealed and is not empty.
  Result Commit(CommitRequest* request) ABSL_LOCKS_EXCLUDED(mutex_);

  // Runs `work` while no save is made: all saves before it are published, all later ones see what
  // it did.
  void BetweenSaves(absl::FunctionRef<void()> work) ABSL_LOCKS_EXCLUDED(mutex_);
  // Makes a save without entries, which proves the one before it: after a cut its bytes can no
  // longer be taken for a save that was being written. Nothing to do when the last save is such a
  // one, or another thread is saving.
  void SealTail() ABSL_LOCKS_EXCLUDED(mutex_);

  uint64_t groups() const ABSL_LOCKS_EXCLUDED(mutex_);
  uint64_t grouped_commits() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void Lead() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void LeadOnly(absl::FunctionRef<void()> work) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void WakeNext() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void TakeGroup() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Result Save() ABSL_EXCLUSIVE_LOCKS_REQUIRED(leader_);
  Result SaveNothing() ABSL_EXCLUSIVE_LOCKS_REQUIRED(leader_);
  Result AddVersions(FrameWriter::Size* size) ABSL_EXCLUSIVE_LOCKS_REQUIRED(leader_);
  void AddEntry(const Staging& staging, const StagedEntry& entry, Segment* home)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(leader_);
  Result Write(const Log::Place& place, const FrameWriter::Size& size)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(leader_);
  void NoteLongLists() ABSL_EXCLUSIVE_LOCKS_REQUIRED(leader_);
  void Withdraw() ABSL_EXCLUSIVE_LOCKS_REQUIRED(leader_);

  Index* const index_;
  Log* const log_;
  const size_t save_bytes_max_;
  size_t long_list_ = std::numeric_limits<size_t>::max();
  std::function<void(Bytes key)> note_long_list_;

  mutable absl::Mutex mutex_;
  std::vector<CommitRequest*> queue_ ABSL_GUARDED_BY(mutex_);
  bool led_ ABSL_GUARDED_BY(mutex_) = false;  // a leader is at work
  // BetweenSaves waits, and comes before those that want to commit.
  bool others_turn_ ABSL_GUARDED_BY(mutex_) = false;
  absl::CondVar led_no_more_;
  uint64_t groups_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t grouped_commits_ ABSL_GUARDED_BY(mutex_) = 0;

  // The leader's, until it clears led_.
  ThreadRole leader_;
  std::vector<CommitRequest*> group_;
  std::vector<IndexRecord*> records_ ABSL_GUARDED_BY(leader_);
  std::vector<StoredExtent> extents_ ABSL_GUARDED_BY(leader_);  // of the entry at hand
  FrameWriter writer_ ABSL_GUARDED_BY(leader_);
  uint64_t commits_in_frame_ ABSL_GUARDED_BY(leader_) = 0;                // without what only moves
  Log::Purpose purpose_ ABSL_GUARDED_BY(leader_) = Log::Purpose::kWrite;  // of the frame at hand
};

}  // namespace pure::store
