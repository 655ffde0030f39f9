#pragma once

// Segment: one open segment file with its mapping, counted by those that use its bytes; and
// SegmentMaker, which makes a new one in bounded steps.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/base/attributes.h"
#include "absl/status/status.h"
#include "runtime/bytes.h"
#include "store/files.h"
#include "store/format.h"
#include "store/io_failure.h"

namespace pure::store {

// Lifetime: made with one hold, its owner's. Every lent extent holds it as well; the last Release
// unmaps and closes. Threads: any.
class Segment final {
 public:
  Segment(const SegmentHeader& header, std::unique_ptr<File> file, std::unique_ptr<Mapping> mapping)
      : header_(header), file_(std::move(file)), mapping_(std::move(mapping)) {}
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  const SegmentHeader& header() const ABSL_ATTRIBUTE_LIFETIME_BOUND { return header_; }
  const StoreUuid& uuid() const { return header_.uuid; }
  uint64_t id() const { return header_.id; }
  uint64_t salt() const { return header_.salt; }
  uint64_t length_bytes() const { return header_.length_bytes; }
  bool is_repair() const { return header_.repair; }
  File* file() const { return file_.get(); }
  Bytes bytes(uint64_t offset, uint64_t size) const ABSL_ATTRIBUTE_LIFETIME_BOUND {
    return mapping_->bytes().substr(offset, size);
  }

  enum class [[nodiscard]] Check : uint8_t{kSound, kDamaged, kUnreadable};
  // Whether the bytes of an extent here have this checksum. REQUIRES: it lies inside the segment.
  Check CheckExtent(uint64_t offset, uint64_t length, uint32_t checksum) const;
  // The CRC of a part of an extent's bytes, after a check of all of them: so a bad byte never gets
  // a new checksum. The CRC of all of it needs no look at the bytes. REQUIRES: as above; the part
  // lies inside the extent.
  Check CheckPart(uint64_t offset, uint64_t length, uint32_t checksum, uint64_t part_begin,
                  uint64_t part_bytes, uint32_t* data_crc) const;

  void Hold() { holds_.fetch_add(1, std::memory_order_relaxed); }
  void Release() {
    if (holds_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  // Whether the caller's hold is the only one. Then nobody can come to a new one.
  bool HeldOnce() const { return holds_.load(std::memory_order_acquire) == 1; }

  // Bytes here that newest versions need: extents and entries. An estimate for compaction: bytes
  // that several values share count several times.
  void AddLiveBytes(int64_t bytes) { live_bytes_.fetch_add(bytes, std::memory_order_relaxed); }
  uint64_t live_bytes() const {
    return static_cast<uint64_t>(std::max<int64_t>(0, live_bytes_.load(std::memory_order_relaxed)));
  }

  // From Retire on no new version shares bytes here: commits write them again. Changed between
  // saves only (Committer::BetweenSaves).
  void Retire() { retiring_.store(true, std::memory_order_relaxed); }
  void Unretire() { retiring_.store(false, std::memory_order_relaxed); }
  bool retiring() const { return retiring_.load(std::memory_order_relaxed); }

 private:
  ~Segment() = default;

  const SegmentHeader header_;
  const std::unique_ptr<File> file_;
  const std::unique_ptr<Mapping> mapping_;
  std::atomic<uint64_t> holds_{1};
  std::atomic<int64_t> live_bytes_{0};
  std::atomic<bool> retiring_{false};
};

struct SegmentReleaser {
  void operator()(Segment* segment) const { segment->Release(); }
};
using SegmentHold = std::unique_ptr<Segment, SegmentReleaser>;

inline SegmentHold HoldSegment(Segment* segment) {
  segment->Hold();
  return SegmentHold(segment);
}

// Makes a segment durable: create, reserve, zero, header, sync, directory sync. Then frames may go
// in.
class SegmentMaker final {
 public:
  // `zero_from`: what lies before it is written by the caller through file() before the sync.
  SegmentMaker(Directory* directory ABSL_ATTRIBUTE_LIFETIME_BOUND, const SegmentHeader& header,
               uint64_t zero_from = kSegmentHeaderBytes);

  // One step of at most kZeroStepBytes of writing, or one other call. REQUIRES: !done().
  IoFailure Step();
  IoFailure FinishAll();
  // The steps up to the header, without a sync.
  IoFailure Prepare();
  bool done() const { return stage_ == Stage::kDone; }
  const SegmentHeader& header() const { return header_; }
  File* file() const { return file_.get(); }

  // REQUIRES: done(). Once.
  SegmentHold Take();
  // Removes what was made, if it can. Only after failures that are no failed syncs.
  void Abandon();

 private:
  static constexpr uint64_t kZeroStepBytes = 1u << 20;
  enum class Stage : uint8_t {
    kCreate,
    kAllocate,
    kZero,
    kHeader,
    kSync,
    kSyncDirectory,
    kMap,
    kDone,
  };

  IoError StepZero();
  IoError WriteHeader();

  Directory* const directory_;
  const SegmentHeader header_;
  const std::string name_;
  uint64_t zeroed_end_;
  Stage stage_ = Stage::kCreate;
  std::unique_ptr<File> file_;
  std::unique_ptr<Mapping> mapping_;
};

// Opens a segment that is there, and checks its header. DataLoss: missing, short or damaged;
// FailedPrecondition: of another store or version.
absl::Status OpenSegment(Directory* directory, const StoreUuid& uuid, uint64_t id,
                         uint64_t length_bytes, uint64_t salt, bool writable, SegmentHold* segment);

// Opens a segment file that no manifest names. *segment stays null when it was not made to the end.
// FailedPrecondition as above.
absl::Status OpenUnnamedSegment(Directory* directory, const StoreUuid& uuid, uint64_t id,
                                SegmentHold* segment);

}  // namespace pure::store
