#pragma once

// Log: the segments of an open store: appends frames and syncs them, makes the next segment in
// time, keeps the manifest, and stops all writing after a failed sync.
//
// Threads: Reserve and Append: one committer at a time. DoBackgroundWork: any other thread. The
// rest: any. Lifetime: owns the segments; what was lent from them outlives it.

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "runtime/bytes.h"
#include "runtime/result.h"
#include "store/files.h"
#include "store/log_open.h"
#include "store/manifest.h"
#include "store/segment.h"
#include "store/store.h"

namespace pure::store {

class Log final {
 public:
  Log(std::unique_ptr<Directory> directory, const LogOptions& options)
      : directory_(std::move(directory)), options_(options) {}
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // Once, before all else. As OpenLog.
  absl::Status Open(Index* index);

  // ---- The committer ----
  // Where the next frame goes.
  struct Place {
    Segment* segment = nullptr;
    uint64_t offset = 0;
    uint64_t seq = 0;
    uint64_t previous_chain = 0;
  };
  // Finds a place for a frame of this size; makes a segment when none has room. Not kOk: known not
  // applied (kFull, kAllocation, kStorage).
  Result Reserve(uint64_t frame_bytes, Place* place) ABSL_LOCKS_EXCLUDED(making_mutex_, mutex_);
  // Writes the frame to its place and syncs. kOk: durable. kUncertain: the log is poisoned. Else:
  // known not applied. REQUIRES: the header was encoded for the place that Reserve gave; the spans
  // hold header.frame_bytes.
  Result Append(const FrameHeader& header, absl::Span<const Bytes> spans)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // ---- In the background ----
  // Whether DoBackgroundWork has something to do.
  bool HasBackgroundWork() const ABSL_LOCKS_EXCLUDED(mutex_);
  // One bounded step towards the next segment. True: there is more to do.
  bool DoBackgroundWork() ABSL_LOCKS_EXCLUDED(making_mutex_, mutex_);

  // ---- Any thread ----
  StoreState state() const { return state_.load(std::memory_order_acquire); }
  absl::Status failure() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Seals the log in the manifest and gives the lock back. No commit may run.
  absl::Status Close() ABSL_LOCKS_EXCLUDED(making_mutex_, mutex_);

  uint64_t last_seq() const ABSL_LOCKS_EXCLUDED(mutex_);
  uint64_t copied_bytes() const { return copied_bytes_; }
  const StoreUuid& uuid() const ABSL_ATTRIBUTE_LIFETIME_BOUND { return uuid_; }
  struct Totals {
    uint64_t segments = 0;
    uint64_t store_bytes = 0;
  };
  Totals totals() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Visits the segments in the order of the log, with how far each is filled. No segment goes
  // meanwhile.
  std::vector<ManifestSegment> Records(std::vector<Segment*>* segments) const
      ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  bool Fits(uint64_t frame_bytes) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool UseSpare(uint64_t frame_bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool WantsSpare() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void FillPlace(Place* place) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Result MakeSegmentNow(uint64_t frame_bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(making_mutex_)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void StartMaking(uint64_t frame_bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(making_mutex_)
      ABSL_LOCKS_EXCLUDED(mutex_);
  IoFailure StepMaking() ABSL_EXCLUSIVE_LOCKS_REQUIRED(making_mutex_) ABSL_LOCKS_EXCLUDED(mutex_);
  void StopMaking(const IoFailure& failure) ABSL_EXCLUSIVE_LOCKS_REQUIRED(making_mutex_)
      ABSL_LOCKS_EXCLUDED(mutex_);
  Manifest NewManifest(const LogSegment* spare) ABSL_EXCLUSIVE_LOCKS_REQUIRED(making_mutex_)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Remembers why nothing may be written any more. The first reason stays.
  void Poison(absl::Status why) ABSL_LOCKS_EXCLUDED(mutex_);

  const std::unique_ptr<Directory> directory_;
  const LogOptions options_;
  StoreUuid uuid_;             // immutable after Open
  uint64_t copied_bytes_ = 0;  // immutable after Open

  // Held while a segment is made or the manifest is written, which may take long. Taken before
  // mutex_.
  mutable absl::Mutex making_mutex_ ABSL_ACQUIRED_BEFORE(mutex_);
  std::optional<SegmentMaker> maker_ ABSL_GUARDED_BY(making_mutex_);
  uint64_t epoch_ ABSL_GUARDED_BY(making_mutex_) = 0;
  uint64_t next_segment_ ABSL_GUARDED_BY(making_mutex_) = 1;
  std::unique_ptr<DirectoryLock> lock_ ABSL_GUARDED_BY(making_mutex_);

  mutable absl::Mutex mutex_;
  // In the order of the log; the last one is appended to. Only the committer changes it.
  std::vector<LogSegment> segments_ ABSL_GUARDED_BY(mutex_);
  LogSegment spare_ ABSL_GUARDED_BY(mutex_);  // the next one; may be empty
  uint64_t last_seq_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t last_chain_ ABSL_GUARDED_BY(mutex_) = 0;
  // The last try to make a spare failed; the next one comes after the next frame.
  bool spare_failed_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);
  std::atomic<StoreState> state_{StoreState::kOpen};
};

}  // namespace pure::store
