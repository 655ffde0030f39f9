// What compaction and checkpoints need of the log.

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/check.h"
#include "store/checkpoint_reader.h"
#include "store/log.h"
#include "store/planted_bug.h"

namespace pure::store {

Result Log::Roll(uint64_t length_bytes) {
  absl::MutexLock making_lock(&making_mutex_);
  if (state() != StoreState::kOpen || options_.read_only) return Result::kStorage;
  if (maker_.has_value()) StopMaking({});
  const uint64_t wanted_bytes =
      std::clamp(length_bytes, std::min(options_.first_segment_bytes, options_.segment_bytes),
                 options_.segment_bytes);
  StartMaking(wanted_bytes);
  const Result result = MakeSegmentNow(0);
  if (result != Result::kOk) return result;
  absl::MutexLock lock(&mutex_);
  PURE_CHECK(UseSpare(0), "a new segment is there");
  short_of_space_ = segments_.back().record.length_bytes < wanted_bytes;
  return Result::kOk;
}

uint64_t Log::MovableBytes() const {
  if (!short_of_space_) return std::numeric_limits<uint64_t>::max();
  const ManifestSegment& active = segments_.back().record;
  const uint64_t spare_bytes =
      spare_.segment == nullptr ? 0 : spare_.record.length_bytes - spare_.record.end_bytes;
  return (active.length_bytes - active.end_bytes + spare_bytes) / 2;
}

Segment* Log::WorstSegment(double bytes_per_live_byte, uint64_t before) const {
  absl::MutexLock lock(&mutex_);
  if (state() != StoreState::kOpen || options_.read_only) return nullptr;
  const LogSegment* worst = nullptr;
  uint64_t worst_waste = 0;
  uint64_t all_bytes = 0;
  uint64_t live_bytes = 0;
  const uint64_t movable_bytes = MovableBytes();
  for (size_t i = 0; i + 1 < segments_.size(); ++i) {
    const LogSegment& each = segments_[i];
    if (each.segment->retiring() || each.record.id >= before) continue;
    const uint64_t live = std::min(each.segment->live_bytes(), each.record.length_bytes);
    all_bytes += each.record.length_bytes;
    live_bytes += live;
    if (live > movable_bytes) continue;
    if (worst == nullptr || each.record.length_bytes - live > worst_waste) {
      worst = &each;
      worst_waste = each.record.length_bytes - live;
    }
  }
  const bool wasteful =
      static_cast<double>(all_bytes) > bytes_per_live_byte * static_cast<double>(live_bytes);
  return worst != nullptr && wasteful ? worst->segment.get() : nullptr;
}

absl::Status Log::Remove(Segment* segment) {
  absl::MutexLock making_lock(&making_mutex_);
  if (state() != StoreState::kOpen) return absl::FailedPreconditionError("the store is closed");
  Manifest manifest = NewManifest(nullptr);
  const auto gone =
      std::find_if(manifest.segments.begin(), manifest.segments.end(),
                   [segment](const ManifestSegment& each) { return each.id == segment->id(); });
  PURE_CHECK(gone != manifest.segments.end() && gone->sealed, "a sealed segment of the log");
  if (gone->last_seq > removed_seq_) {
    manifest.removed_seq = gone->last_seq;
    manifest.removed_chain = gone->last_chain;
  }
  manifest.segments.erase(gone);
  if (Planted(Bug::kUnlinkBeforeRename)) {
    char gone_name[kSegmentNameBytes];
    (void)directory_->Remove(std::string(SegmentName(segment->id(), gone_name)));
  }
  IoFailure failure = WriteManifest(directory_.get(), manifest, std::move(next_manifest_));
  if (failure) return Fail(failure);
  removed_seq_ = manifest.removed_seq;
  removed_chain_ = manifest.removed_chain;
  char name_buffer[kSegmentNameBytes];
  const std::string name(SegmentName(segment->id(), name_buffer));
  {
    absl::MutexLock lock(&mutex_);
    segments_.erase(
        std::find_if(segments_.begin(), segments_.end(),
                     [segment](const LogSegment& each) { return each.segment.get() == segment; }));
    spare_error_ = IoError::kNone;
    ++removed_segments_;
  }
  // When it can not be removed now, the next opening does it: no manifest names it.
  (void)directory_->Remove(name);
  next_manifest_ = ReserveManifest(directory_.get(), manifest);
  return absl::OkStatus();
}

uint64_t Log::UncoveredBytes() const {
  absl::MutexLock making_lock(&making_mutex_);
  absl::MutexLock lock(&mutex_);
  if (state() != StoreState::kOpen || options_.read_only) return 0;
  uint64_t bytes = 0;
  for (size_t i = 0; i + 1 < segments_.size(); ++i) {
    const ManifestSegment& record = segments_[i].record;
    if (record.last_seq > checkpoint_.covers_seq) bytes += record.end_bytes;
  }
  return bytes;
}

uint64_t Log::checkpoint_bytes() const {
  absl::MutexLock making_lock(&making_mutex_);
  return checkpoint_.size_bytes;
}

std::unique_ptr<CheckpointWriter> Log::StartCheckpoint(const Index* index) {
  absl::MutexLock making_lock(&making_mutex_);
  absl::MutexLock lock(&mutex_);
  uint64_t covers_seq = removed_seq_;
  for (size_t i = 0; i + 1 < segments_.size(); ++i) {
    covers_seq = std::max(covers_seq, segments_[i].record.last_seq);
  }
  if (Planted(Bug::kCheckpointClaimsMore)) covers_seq += 1000;
  return std::make_unique<CheckpointWriter>(index, directory_.get(), uuid_, next_segment_++,
                                            covers_seq);
}

absl::Status Log::AdoptCheckpoint(const CheckpointWriter& checkpoint) {
  absl::MutexLock making_lock(&making_mutex_);
  if (state() != StoreState::kOpen) return absl::FailedPreconditionError("the store is closed");
  const ManifestCheckpoint before = std::exchange(
      checkpoint_, {checkpoint.id(), checkpoint.size_bytes(), checkpoint.covers_seq()});
  const Manifest manifest = NewManifest(nullptr);
  IoFailure failure = WriteManifest(directory_.get(), manifest, std::move(next_manifest_));
  if (failure) {
    checkpoint_ = before;
    return Fail(failure);
  }
  char name[kCheckpointNameBytes];
  if (before.id != 0) (void)directory_->Remove(std::string(CheckpointName(before.id, name)));
  next_manifest_ = ReserveManifest(directory_.get(), manifest);
  return absl::OkStatus();
}

absl::Status Log::VerifyCheckpoint() const {
  absl::MutexLock making_lock(&making_mutex_);
  if (checkpoint_.id == 0) return absl::OkStatus();
  char name_buffer[kCheckpointNameBytes];
  const std::string name(CheckpointName(checkpoint_.id, name_buffer));
  std::unique_ptr<File> file;
  if (directory_->Open(name, false, &file) == IoError::kNone) {
    CheckpointReader reader(file.get());
    const bool sound = reader.Open(uuid_, checkpoint_.id, checkpoint_.size_bytes) &&
                       reader.ReadAll([](const CheckpointVersion&,
                                         absl::Span<const CheckpointExtent>) { return true; });
    if (sound) return absl::OkStatus();
  }
  return absl::DataLossError(
      absl::StrCat(name, " does not hold; it is a cache, and the next start makes do without it"));
}

}  // namespace pure::store
