#pragma once

// Committer: makes staged writes durable, in groups. The thread that finds nobody committing leads:
// it makes one frame of everything that waits, saves it, and wakes the others; what came meanwhile
// is the next group. A lone commit waits for nobody.
//
// Threads: any number may Commit, each with its own request. Lifetime: borrows index and log.
// Cost: no allocation but the index's versions, once the buffers have grown.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/base/thread_annotations.h"
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

  // As StoreHandle::Commit; the results are in the staging, which was sealed and is not empty.
  Result Commit(CommitRequest* request) ABSL_LOCKS_EXCLUDED(mutex_);

  uint64_t groups() const ABSL_LOCKS_EXCLUDED(mutex_);
  uint64_t grouped_commits() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void Lead() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void TakeGroup() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Result Save() ABSL_EXCLUSIVE_LOCKS_REQUIRED(leader_);
  Result AddVersions(FrameWriter::Size* size) ABSL_EXCLUSIVE_LOCKS_REQUIRED(leader_);
  Result Write(const Log::Place& place, const FrameWriter::Size& size)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(leader_);
  void Withdraw() ABSL_EXCLUSIVE_LOCKS_REQUIRED(leader_);

  Index* const index_;
  Log* const log_;
  const size_t save_bytes_max_;

  mutable absl::Mutex mutex_;
  std::vector<CommitRequest*> queue_ ABSL_GUARDED_BY(mutex_);
  bool led_ ABSL_GUARDED_BY(mutex_) = false;  // a leader is at work
  uint64_t groups_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t grouped_commits_ ABSL_GUARDED_BY(mutex_) = 0;

  // The leader's, until it clears led_.
  ThreadRole leader_;
  std::vector<CommitRequest*> group_;
  std::vector<IndexRecord*> records_ ABSL_GUARDED_BY(leader_);
  FrameWriter writer_ ABSL_GUARDED_BY(leader_);
  uint64_t commits_in_frame_ ABSL_GUARDED_BY(leader_) = 0;
};

}  // namespace pure::store
