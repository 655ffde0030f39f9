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
#include "store/checkpoint_writer.h"
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
  // What a frame is for. Once the disk is full, the second half of the last segment is kept for
  // frames that help to free space.
  enum class Purpose : uint8_t { kWrite, kFreeSpace };
  // Finds a place for a frame of this size; makes a segment when none has room. Not kOk: known not
  // applied (kFull, kAllocation, kStorage).
  Result Reserve(uint64_t frame_bytes, Purpose purpose, Place* place)
      ABSL_LOCKS_EXCLUDED(making_mutex_, mutex_);
  // Writes the frame to its place and syncs. kOk: durable. kUncertain: the log is poisoned. Else:
  // known not applied. REQUIRES: the header was encoded for the place that Reserve gave; the spans
  // hold header.frame_bytes.
  Result Append(const FrameHeader& header, absl::Span<const Bytes> spans)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Whether the last frame has entries, so that nothing proves it yet.
  bool WantsSeal() const ABSL_LOCKS_EXCLUDED(mutex_);

  // ---- In the background: one thread at a time ----
  // Whether a segment was sealed since the last call: there may be something to compact.
  bool TakeRolled() { return rolled_.exchange(false, std::memory_order_relaxed); }
  bool rolled() const { return rolled_.load(std::memory_order_relaxed); }
  // Whether the next segment is to be made now; urgently: or commits will soon have to wait for it.
  bool WantsSpare() const ABSL_LOCKS_EXCLUDED(mutex_);
  bool WantsSpareUrgently() const ABSL_LOCKS_EXCLUDED(mutex_);
  // One bounded step towards the next segment.
  void MakeSpare() ABSL_LOCKS_EXCLUDED(making_mutex_, mutex_);
  // Goes on in a new segment of about this length, within the options, so that the one before can
  // be compacted. REQUIRES: between saves.
  Result Roll(uint64_t length_bytes) ABSL_LOCKS_EXCLUDED(making_mutex_, mutex_);
  // The sealed segment that wastes most, of those with an id below `before`, if these together are
  // longer than `bytes_per_live_byte` times what is live in them. Where the disk is short of space,
  // only those whose live bytes take half of the room that is left, since erasures need some too.
  // Null: none. It stays until it is removed.
  Segment* WorstSegment(double bytes_per_live_byte, uint64_t before) const
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Takes a segment out of the log for good. REQUIRES: it is sealed, and no version or lent extent
  // holds it. Not OK: it stays.
  absl::Status Remove(Segment* segment) ABSL_LOCKS_EXCLUDED(making_mutex_, mutex_);
  // Bytes of sealed frames that opening would have to walk.
  uint64_t UncoveredBytes() const ABSL_LOCKS_EXCLUDED(making_mutex_, mutex_);
  uint64_t checkpoint_bytes() const ABSL_LOCKS_EXCLUDED(making_mutex_);
  // A checkpoint of all sealed frames is to be written.
  std::unique_ptr<CheckpointWriter> StartCheckpoint(const Index* index)
      ABSL_LOCKS_EXCLUDED(making_mutex_, mutex_);
  // Makes a written checkpoint the one that counts, and removes the one before.
  absl::Status AdoptCheckpoint(const CheckpointWriter& checkpoint)
      ABSL_LOCKS_EXCLUDED(making_mutex_, mutex_);
  // DataLoss: the checkpoint does not hold.
  absl::Status VerifyCheckpoint() const ABSL_LOCKS_EXCLUDED(making_mutex_);
  // A call of the disk for something else than a frame failed: after a failed sync, nothing may be
  // written any more.
  absl::Status Fail(const IoFailure& failure) ABSL_LOCKS_EXCLUDED(mutex_);

  // ---- Any thread ----
  StoreState state() const { return state_.load(std::memory_order_acquire); }
  absl::Status failure() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Seals the log in the manifest and gives the lock back. No commit may run.
  absl::Status Close() ABSL_LOCKS_EXCLUDED(making_mutex_, mutex_);

  uint64_t last_seq() const ABSL_LOCKS_EXCLUDED(mutex_);
  // No segment had this id or a higher one.
  uint64_t next_segment() const ABSL_LOCKS_EXCLUDED(making_mutex_);
  uint64_t copied_bytes() const { return copied_bytes_; }
  const StoreUuid& uuid() const ABSL_ATTRIBUTE_LIFETIME_BOUND { return uuid_; }
  struct Totals {
    uint64_t segments = 0;
    uint64_t store_bytes = 0;
    uint64_t dead_bytes = 0;
    uint64_t opened_bytes = 0;   // of all frames when it was opened
    uint64_t written_bytes = 0;  // of frames since
    uint64_t removed_segments = 0;
  };
  Totals totals() const ABSL_LOCKS_EXCLUDED(mutex_);
  // The segments in the order of the log, held, with how far each is filled.
  std::vector<LogSegment> Segments() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  bool Fits(uint64_t frame_bytes) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool UseSpare(uint64_t frame_bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool LacksSpare(uint64_t part_of_four) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsReserve() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // How much may be moved without another segment.
  uint64_t MovableBytes() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void FillPlace(Place* place) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Result MakeSegmentNow(uint64_t frame_bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(making_mutex_)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Bytes of a segment that has room for a frame of this size.
  uint64_t NextLength(uint64_t frame_bytes) const ABSL_LOCKS_EXCLUDED(mutex_);
  void StartMaking(uint64_t length_bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(making_mutex_)
      ABSL_LOCKS_EXCLUDED(mutex_);
  IoFailure StepMaking() ABSL_EXCLUSIVE_LOCKS_REQUIRED(making_mutex_) ABSL_LOCKS_EXCLUDED(mutex_);
  // Begins again with a segment half as long, where there was no space and the frame has room in
  // one: on a disk that is nearly full, what came free is soon too little for a long one. False:
  // there is none so short.
  bool MakeShorter(const IoFailure& failure, uint64_t frame_bytes)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(making_mutex_) ABSL_LOCKS_EXCLUDED(mutex_);
  void StopMaking(const IoFailure& failure) ABSL_EXCLUSIVE_LOCKS_REQUIRED(making_mutex_)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // What the log is; with another spare than it has, or, null, with that.
  Manifest NewManifest(const ManifestSegment* new_spare)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(making_mutex_) ABSL_LOCKS_EXCLUDED(mutex_);
  // Remembers why nothing may be written any more. The first reason stays.
  void Poison(absl::Status why) ABSL_LOCKS_EXCLUDED(mutex_);

  const std::unique_ptr<Directory> directory_;
  const LogOptions options_;
  StoreUuid uuid_;             // immutable after Open
  uint64_t copied_bytes_ = 0;  // immutable after Open
  uint64_t opened_bytes_ = 0;  // immutable after Open

  // Held while a segment is made or the manifest is written, which may take long. Taken before
  // mutex_.
  mutable absl::Mutex making_mutex_ ABSL_ACQUIRED_BEFORE(mutex_);
  std::optional<SegmentMaker> maker_ ABSL_GUARDED_BY(making_mutex_);
  uint64_t epoch_ ABSL_GUARDED_BY(making_mutex_) = 0;
  uint64_t next_segment_ ABSL_GUARDED_BY(making_mutex_) = 1;
  uint64_t removed_seq_ ABSL_GUARDED_BY(making_mutex_) = 0;  // see Manifest
  uint64_t removed_chain_ ABSL_GUARDED_BY(making_mutex_) = 0;
  ManifestCheckpoint checkpoint_ ABSL_GUARDED_BY(making_mutex_);
  std::unique_ptr<DirectoryLock> lock_ ABSL_GUARDED_BY(making_mutex_);
  std::unique_ptr<File> next_manifest_ ABSL_GUARDED_BY(making_mutex_);  // reserved; may be null

  mutable absl::Mutex mutex_;
  // In the order of the log; the last one is appended to.
  std::vector<LogSegment> segments_ ABSL_GUARDED_BY(mutex_);
  LogSegment spare_ ABSL_GUARDED_BY(mutex_);  // the next one; may be empty
  uint64_t last_seq_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t last_chain_ ABSL_GUARDED_BY(mutex_) = 0;
  bool last_has_entries_ ABSL_GUARDED_BY(mutex_) = false;  // the last frame
  // Why the last try to make a spare failed. The next one comes after the next frame, or, on a full
  // disk, when a frame does not find room or a segment was removed.
  IoError spare_error_ ABSL_GUARDED_BY(mutex_) = IoError::kNone;
  // The segment that was made last, or tried, is none of the length that was wanted.
  bool short_of_space_ ABSL_GUARDED_BY(mutex_) = false;
  uint64_t written_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t removed_segments_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);
  std::atomic<StoreState> state_{StoreState::kOpen};
  std::atomic<bool> rolled_{true};  // what was there at opening counts
};

}  // namespace pure::store
