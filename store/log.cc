#include "store/log.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/check.h"

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
  lock_ = std::move(opened.lock);
  absl::MutexLock lock(&mutex_);
  segments_ = std::move(opened.segments);
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
  return true;
}

void Log::FillPlace(Place* place) const {
  *place = {.segment = segments_.back().segment.get(),
            .offset = segments_.back().record.end_bytes,
            .seq = last_seq_ + 1,
            .previous_chain = last_chain_};
}

Result Log::Reserve(uint64_t frame_bytes, Place* place) {
  {
    absl::MutexLock lock(&mutex_);
    if (state() != StoreState::kOpen || options_.read_only) return Result::kStorage;
    if (Fits(frame_bytes) || UseSpare(frame_bytes)) {
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
  PURE_CHECK(UseSpare(frame_bytes), "the new segment has room for the frame");
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
    error = segment->file()->Sync();
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
  spare_failed_ = false;
  return Result::kOk;
}

bool Log::WantsSpare() const {
  if (state() != StoreState::kOpen || options_.read_only || segments_.empty()) return false;
  const ManifestSegment& active = segments_.back().record;
  return spare_.segment == nullptr && !spare_failed_ && active.end_bytes * 2 >= active.length_bytes;
}

bool Log::HasBackgroundWork() const {
  absl::MutexLock lock(&mutex_);
  return WantsSpare();
}

bool Log::DoBackgroundWork() {
  absl::MutexLock making_lock(&making_mutex_);
  {
    absl::MutexLock lock(&mutex_);
    if (!WantsSpare()) return false;
  }
  if (!maker_.has_value()) StartMaking(0);
  const IoFailure failure = StepMaking();
  if (failure) StopMaking(failure);
  return HasBackgroundWork();
}

void Log::StartMaking(uint64_t frame_bytes) {
  absl::MutexLock lock(&mutex_);
  const ManifestSegment& active = segments_.back().record;
  maker_.emplace(directory_.get(), SegmentHeader{.uuid = uuid_,
                                                 .id = next_segment_++,
                                                 .predecessor = active.id,
                                                 .salt = options_.entropy->Next(),
                                                 .length_bytes = NextSegmentBytes(
                                                     options_, active.length_bytes, frame_bytes)});
}

// One step; the last one names the segment in the manifest, before any frame goes in.
IoFailure Log::StepMaking() {
  if (!maker_->done()) return maker_->Step();
  const SegmentHeader header = maker_->header();
  LogSegment spare{nullptr,
                   {.id = header.id, .length_bytes = header.length_bytes, .salt = header.salt}};
  IoFailure failure = WriteManifest(directory_.get(), NewManifest(&spare));
  if (failure) return failure;
  spare.segment = maker_->Take();
  maker_.reset();
  {
    absl::MutexLock lock(&mutex_);
    std::swap(spare_, spare);
  }
  if (spare.segment != nullptr) {  // too small for the frame at hand: no manifest names it now
    char name[kSegmentNameBytes];
    (void)directory_->Remove(std::string(SegmentName(spare.record.id, name)));
  }
  return {};
}

void Log::StopMaking(const IoFailure& failure) {
  if (failure.sync) {
    Poison(StatusOf(failure));
  } else {
    maker_->Abandon();
  }
  maker_.reset();
  absl::MutexLock lock(&mutex_);
  spare_failed_ = true;
}

Result Log::MakeSegmentNow(uint64_t frame_bytes) {
  if (maker_.has_value() && maker_->header().length_bytes < kSegmentHeaderBytes + frame_bytes) {
    maker_->Abandon();
    maker_.reset();
  }
  if (!maker_.has_value()) StartMaking(frame_bytes);
  while (maker_.has_value()) {
    const IoFailure failure = StepMaking();
    if (!failure) continue;
    StopMaking(failure);
    return failure.sync ? Result::kStorage : RefusalOf(failure.error);
  }
  return Result::kOk;
}

Manifest Log::NewManifest(const LogSegment* spare) {
  Manifest manifest{.uuid = uuid_, .epoch = epoch_, .next_segment = next_segment_};
  absl::MutexLock lock(&mutex_);
  for (const LogSegment& each : segments_) manifest.segments.push_back(each.record);
  if (spare != nullptr) manifest.segments.push_back(spare->record);
  return manifest;
}

void Log::Poison(absl::Status why) {
  absl::MutexLock lock(&mutex_);
  if (failure_.ok()) failure_ = std::move(why);
  if (state() == StoreState::kOpen) state_.store(StoreState::kPoisoned, std::memory_order_release);
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
    LogSegment spare;
    {
      absl::MutexLock lock(&mutex_);
      spare.record = spare_.record;
      if (spare_.segment == nullptr) spare.record.id = 0;
    }
    Manifest manifest = NewManifest(spare.record.id == 0 ? nullptr : &spare);
    manifest.clean = true;
    failed = WriteManifest(directory_.get(), manifest);
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

Log::Totals Log::totals() const {
  absl::MutexLock lock(&mutex_);
  Totals totals;
  for (const LogSegment& each : segments_) {
    ++totals.segments;
    totals.store_bytes += each.record.length_bytes;
  }
  if (spare_.segment != nullptr) {
    ++totals.segments;
    totals.store_bytes += spare_.record.length_bytes;
  }
  return totals;
}

std::vector<ManifestSegment> Log::Records(std::vector<Segment*>* segments) const {
  absl::MutexLock lock(&mutex_);
  std::vector<ManifestSegment> records;
  for (const LogSegment& each : segments_) {
    records.push_back(each.record);
    segments->push_back(each.segment.get());
  }
  return records;
}

}  // namespace pure::store
