#include "store/log.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/check.h"
#include "store/planted_bug.h"

namespace pure::store {

absl::Status Log::Open(Index* index) {
  OpenedLog opened;
  const absl::Status status = OpenLog(directory_.get(), options_, index, &opened);
  if (!status.ok()) return status;
  uuid_ = opened.uuid;
  copied_bytes_ = opened.copied_bytes;
  absl::MutexLock making_lock(&making_mutex_);
  epoch_ = opened.epoch;
  next_segment_ = opened.next_segment;
  removed_seq_ = opened.removed_seq;
  removed_chain_ = opened.removed_chain;
  checkpoint_ = opened.checkpoint;
  lock_ = std::move(opened.lock);
  next_manifest_ = std::move(opened.next_manifest);
  absl::MutexLock lock(&mutex_);
  segments_ = std::move(opened.segments);
  for (const LogSegment& each : segments_) opened_bytes_ += each.record.end_bytes;
  spare_ = std::move(opened.spare);
  last_seq_ = opened.last_seq;
  last_chain_ = opened.last_chain;
  return absl::OkStatus();
}

bool Log::Fits(uint64_t frame_bytes) const {
  const ManifestSegment& active = segments_.back().record;
  return frame_bytes <= active.length_bytes - active.end_bytes;
}

// Goes on in the spare segment, which is durable and named by the manifest: two pointers, no call
// of the disk.
bool Log::UseSpare(uint64_t frame_bytes) {
  if (spare_.segment == nullptr) return false;
  if (frame_bytes > spare_.record.length_bytes - spare_.record.end_bytes) return false;
  segments_.back().record.sealed = true;
  segments_.push_back(std::move(spare_));
  spare_ = {};
  rolled_.store(true, std::memory_order_relaxed);
  return true;
}

void Log::FillPlace(Place* place) const {
  *place = {.segment = segments_.back().segment.get(),
            .offset = segments_.back().record.end_bytes,
            .seq = last_seq_ + 1,
            .previous_chain = last_chain_};
}

// No space can be had for another segment, and what is left of this one has to do.
bool Log::IsReserve() const {
  const ManifestSegment& active = segments_.back().record;
  return spare_.segment == nullptr && spare_error_ == IoError::kNoSpace &&
         active.end_bytes * 2 >= active.length_bytes;
}

Result Log::Reserve(uint64_t frame_bytes, Purpose purpose, Place* place) {
  {
    absl::MutexLock lock(&mutex_);
    if (state() != StoreState::kOpen || options_.read_only) return Result::kStorage;
    const bool allowed = purpose == Purpose::kFreeSpace || !IsReserve();
    if (allowed && (Fits(frame_bytes) || UseSpare(frame_bytes))) {
      FillPlace(place);
      return Result::kOk;
    }
  }
  // The background may be about to finish the spare.
  absl::MutexLock making_lock(&making_mutex_);
  {
    absl::MutexLock lock(&mutex_);
    if (state() != StoreState::kOpen) return Result::kStorage;
    if (UseSpare(frame_bytes)) {
      FillPlace(place);
      return Result::kOk;
    }
  }
  const Result result = MakeSegmentNow(frame_bytes);
  if (result != Result::kOk) return result;
  absl::MutexLock lock(&mutex_);
  PURE_CHECK(Fits(frame_bytes) || UseSpare(frame_bytes), "the new segment has room for the frame");
  FillPlace(place);
  return Result::kOk;
}

Result Log::Append(const FrameHeader& header, absl::Span<const Bytes> spans) {
  Segment* segment;
  {
    absl::MutexLock lock(&mutex_);
    if (state() != StoreState::kOpen) return Result::kStorage;
    segment = segments_.back().segment.get();
    PURE_CHECK(header.segment == segment->id() && header.seq == last_seq_ + 1 &&
                   header.offset == segments_.back().record.end_bytes,
               "a frame goes to the place that was reserved");
  }
  uint64_t written_bytes = 0;
  const char* call = "writing";
  IoError error = segment->file()->Write(header.offset, spans, &written_bytes);
  if (error != IoError::kNone && written_bytes == 0) return RefusalOf(error);
  if (error == IoError::kNone) {
    call = "sync of";
    if (!Planted(Bug::kAnswerBeforeSync)) error = segment->file()->Sync();
    if (Planted(Bug::kIgnoreSyncResult)) error = IoError::kNone;
    if (Planted(Bug::kRetrySync) && error != IoError::kNone) error = segment->file()->Sync();
    if (Planted(Bug::kFullSyncIsClean) && error == IoError::kNoSpace) return Result::kFull;
  }
  if (error != IoError::kNone) {
    char name[kSegmentNameBytes];
    Poison(StatusOf({.error = error,
                     .what = absl::StrCat(call, " ", SegmentName(segment->id(), name),
                                          " at offset ", header.offset, ", save ", header.seq)}));
    return Result::kUncertain;
  }
  absl::MutexLock lock(&mutex_);
  // Another sync, of the next segment, may have failed meanwhile: nothing is acknowledged after it.
  if (state() != StoreState::kOpen) return Result::kUncertain;
  ManifestSegment& record = segments_.back().record;
  if (!record.has_frames()) {
    record.base_seq = last_seq_;
    record.base_chain = last_chain_;
  }
  record.end_bytes += header.frame_bytes;
  record.last_seq = last_seq_ = header.seq;
  record.last_chain = last_chain_ = header.chain();
  last_has_entries_ = header.entry_count > 0;
  written_bytes_ += header.frame_bytes;
  if (spare_error_ != IoError::kNoSpace) spare_error_ = IoError::kNone;
  return Result::kOk;
}

bool Log::WantsSeal() const {
  absl::MutexLock lock(&mutex_);
  return state() == StoreState::kOpen && !options_.read_only && last_has_entries_;
}

// No spare yet, though so many quarters of the active segment are used.
bool Log::LacksSpare(uint64_t part_of_four) const {
  if (state() != StoreState::kOpen || options_.read_only || segments_.empty()) return false;
  const ManifestSegment& active = segments_.back().record;
  return spare_.segment == nullptr && spare_error_ == IoError::kNone &&
         active.end_bytes * 4 >= active.length_bytes * part_of_four;
}

bool Log::WantsSpare() const {
  absl::MutexLock lock(&mutex_);
  return LacksSpare(2);
}

bool Log::WantsSpareUrgently() const {
  absl::MutexLock lock(&mutex_);
  return LacksSpare(3);
}

void Log::MakeSpare() {
  absl::MutexLock making_lock(&making_mutex_);
  if (!WantsSpare()) return;
  if (!maker_.has_value()) StartMaking(NextLength(0));
  const IoFailure failure = StepMaking();
  if (failure && !MakeShorter(failure, 0)) StopMaking(failure);
}

uint64_t Log::NextLength(uint64_t frame_bytes) const {
  absl::MutexLock lock(&mutex_);
  return NextSegmentBytes(options_, segments_.back().record.length_bytes, frame_bytes);
}

void Log::StartMaking(uint64_t length_bytes) {
  absl::MutexLock lock(&mutex_);
  maker_.emplace(directory_.get(), SegmentHeader{.uuid = uuid_,
                                                 .id = next_segment_++,
                                                 .predecessor = segments_.back().record.id,
                                                 .salt = options_.entropy->Next(),
                                                 .length_bytes = length_bytes});
}

// One step; the last one names the segment in the manifest, before any frame goes in.
IoFailure Log::StepMaking() {
  if (!maker_->done()) return maker_->Step();
  const SegmentHeader header = maker_->header();
  LogSegment spare{nullptr,
                   {.id = header.id, .length_bytes = header.length_bytes, .salt = header.salt}};
  const Manifest manifest = NewManifest(&spare.record);
  const IoFailure failure = WriteManifest(directory_.get(), manifest, std::move(next_manifest_));
  if (failure) return failure;
  next_manifest_ = ReserveManifest(directory_.get(), manifest);
  spare.segment = maker_->Take();
  maker_.reset();
  {
    absl::MutexLock lock(&mutex_);
    short_of_space_ =
        header.length_bytes < NextSegmentBytes(options_, segments_.back().record.length_bytes, 0);
    std::swap(spare_, spare);
    spare_error_ = IoError::kNone;
  }
  if (spare.segment != nullptr) {  // too small for the frame at hand: no manifest names it now
    char name[kSegmentNameBytes];
    (void)directory_->Remove(std::string(SegmentName(spare.record.id, name)));
  }
  return {};
}

bool Log::MakeShorter(const IoFailure& failure, uint64_t frame_bytes) {
  const uint64_t length = maker_->header().length_bytes;
  const uint64_t least = std::max(std::min(options_.first_segment_bytes, options_.segment_bytes),
                                  kSegmentHeaderBytes + frame_bytes);
  if (failure.sync || failure.error != IoError::kNoSpace || length <= least) return false;
  maker_->Abandon();
  StartMaking(std::max(least, length / 2 / kBlockBytes * kBlockBytes));
  return true;
}

void Log::StopMaking(const IoFailure& failure) {
  if (failure.sync) {
    Poison(StatusOf(failure));
  } else {
    maker_->Abandon();
  }
  maker_.reset();
  absl::MutexLock lock(&mutex_);
  spare_error_ = failure.error;
  short_of_space_ |= failure.error == IoError::kNoSpace;
}

Result Log::MakeSegmentNow(uint64_t frame_bytes) {
  if (maker_.has_value() && maker_->header().length_bytes < kSegmentHeaderBytes + frame_bytes) {
    maker_->Abandon();
    maker_.reset();
  }
  if (!maker_.has_value()) StartMaking(NextLength(frame_bytes));
  while (maker_.has_value()) {
    const IoFailure failure = StepMaking();
    if (!failure || MakeShorter(failure, frame_bytes)) continue;
    StopMaking(failure);
    return failure.sync ? Result::kStorage : RefusalOf(failure.error);
  }
  return Result::kOk;
}

Manifest Log::NewManifest(const ManifestSegment* new_spare) {
  Manifest manifest{.uuid = uuid_,
                    .epoch = epoch_,
                    .next_segment = next_segment_,
                    .removed_seq = removed_seq_,
                    .removed_chain = removed_chain_,
                    .checkpoint = checkpoint_};
  absl::MutexLock lock(&mutex_);
  for (const LogSegment& each : segments_) manifest.segments.push_back(each.record);
  if (new_spare != nullptr) {
    manifest.segments.push_back(*new_spare);
  } else if (spare_.segment != nullptr) {
    manifest.segments.push_back(spare_.record);
  }
  return manifest;
}

absl::Status Log::Fail(const IoFailure& failure) {
  if (failure.sync) Poison(StatusOf(failure));
  return StatusOf(failure);
}

void Log::Poison(absl::Status why) {
  {
    absl::MutexLock lock(&mutex_);
    if (failure_.ok()) failure_ = std::move(why);
    if (state() != StoreState::kOpen) return;
    state_.store(StoreState::kPoisoned, std::memory_order_release);
  }
  if (options_.on_failed_sync != nullptr) options_.on_failed_sync();
}

absl::Status Log::failure() const {
  absl::MutexLock lock(&mutex_);
  return failure_;
}

absl::Status Log::Close() {
  absl::MutexLock making_lock(&making_mutex_);
  if (state() == StoreState::kPoisoned) return failure();
  if (state() == StoreState::kClosed) return absl::OkStatus();
  IoFailure failed;
  if (!options_.read_only) {
    if (maker_.has_value()) maker_->Abandon();
    maker_.reset();
    Manifest manifest = NewManifest(nullptr);
    manifest.clean = true;
    failed = WriteManifest(directory_.get(), manifest, std::move(next_manifest_));
    // The next run takes its place.
    if (!failed) (void)ReserveManifest(directory_.get(), manifest);
  }
  if (failed.sync) {
    Poison(StatusOf(failed));
    return failure();
  }
  state_.store(StoreState::kClosed, std::memory_order_release);
  lock_.reset();
  return StatusOf(failed);
}

uint64_t Log::last_seq() const {
  absl::MutexLock lock(&mutex_);
  return last_seq_;
}

uint64_t Log::next_segment() const {
  absl::MutexLock making_lock(&making_mutex_);
  return next_segment_;
}

Log::Totals Log::totals() const {
  absl::MutexLock lock(&mutex_);
  Totals totals{.opened_bytes = opened_bytes_,
                .written_bytes = written_bytes_,
                .removed_segments = removed_segments_};
  for (const LogSegment& each : segments_) {
    ++totals.segments;
    totals.store_bytes += each.record.length_bytes;
    const uint64_t used = each.record.end_bytes - kSegmentHeaderBytes;
    totals.dead_bytes += used - std::min(used, each.segment->live_bytes());
  }
  if (spare_.segment != nullptr) {
    ++totals.segments;
    totals.store_bytes += spare_.record.length_bytes;
  }
  return totals;
}

std::vector<LogSegment> Log::Segments() const {
  absl::MutexLock lock(&mutex_);
  std::vector<LogSegment> segments;
  for (const LogSegment& each : segments_) {
    segments.push_back({HoldSegment(each.segment.get()), each.record});
  }
  return segments;
}

}  // namespace pure::store
