#include "store/log_open.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/check.h"
#include "store/checkpoint_format.h"
#include "store/checkpoint_reader.h"
#include "store/frame_reader.h"
#include "store/log_opener.h"
#include "store/planted_bug.h"

namespace pure::store {
namespace {

// How far the ids of the files may be beyond what the manifest says. A store gives them one by one,
// and each new segment is named in a manifest soon.
constexpr uint64_t kIdsAheadMax = uint64_t{1} << 32;

}  // namespace

absl::Status LogOpener::Run() {
  // Before the lock, which makes a file: a directory of something else stays as it is.
  absl::Status status = ReadNames();
  if (!status.ok()) return status;
  const IoError error = directory_->Lock(options_.lock_wait_ms, &opened_->lock);
  if (error == IoError::kLocked) {
    return absl::FailedPreconditionError("the store is in use by another process");
  }
  if (error != IoError::kNone) return StatusOf({.error = error, .what = "locking the store"});
  status = ReadNames();
  if (status.ok()) status = ReadOrMakeManifest();
  if (status.ok()) status = OpenSegments();
  if (status.ok()) status = LoadSealed();
  if (status.ok()) status = ScanUnsealed();
  if (status.ok()) status = CheckOrphans();
  if (!status.ok()) return status;
  if (Planted(Bug::kTrustPageCache) && !options_.read_only && !manifest_.clean && !open_.empty()) {
    status = FinishReadOnly();
    return status.ok() ? WriteNewManifest() : status;
  }
  if (options_.read_only) {
    status = FinishReadOnly();
  } else {
    status = manifest_.clean ? FinishClean() : Repair();
  }
  return status;
}

absl::Status LogOpener::ReadNames() {
  std::vector<std::string> names;
  const IoError error = directory_->List(&names);
  if (error != IoError::kNone) {
    return StatusOf({.error = error, .what = "listing the store's directory"});
  }
  has_manifest_ = std::find(names.begin(), names.end(), kManifestName) != names.end();
  names_.clear();
  checkpoints_.clear();
  for (const std::string& name : names) {
    uint64_t id = 0;
    if (ParseSegmentName(name, &id)) {
      names_.push_back(id);
    } else if (ParseCheckpointName(name, &id)) {
      checkpoints_.push_back(id);
    } else if (!has_manifest_ && name != kManifestNewName && name != kLockFileName) {
      return absl::FailedPreconditionError(
          absl::StrCat("the directory is no store and not empty: it holds \"", name, "\""));
    }
  }
  if (has_manifest_) return absl::OkStatus();
  if (options_.read_only) return absl::NotFoundError("there is no store here (no MANIFEST)");
  if (names_.empty() && checkpoints_.empty()) return absl::OkStatus();
  return absl::DataLossError("the store is damaged: MANIFEST is missing, but there are segments");
}

absl::Status LogOpener::ReadOrMakeManifest() {
  if (!has_manifest_) {
    PURE_CHECK(options_.entropy != nullptr, "a new store needs entropy");
    manifest_.uuid = {options_.entropy->Next(), options_.entropy->Next()};
    // Before there is any segment: from now on a segment without a manifest means that it was lost.
    const IoFailure failure = WriteManifest(directory_, manifest_);
    if (failure) return StatusOf(failure);
  } else {
    const absl::Status status = ReadManifest(directory_, &manifest_);
    if (!status.ok()) return status;
  }
  opened_->uuid = manifest_.uuid;
  opened_->epoch = manifest_.epoch;
  opened_->next_segment = manifest_.next_segment;
  opened_->removed_seq = manifest_.removed_seq;
  opened_->removed_chain = manifest_.removed_chain;
  for (const std::vector<uint64_t>* ids : {&names_, &checkpoints_}) {
    for (uint64_t id : *ids) {
      if (id >= manifest_.next_segment + kIdsAheadMax) {
        return absl::FailedPreconditionError(
            absl::StrCat("a file's name ends with ", absl::Hex(id, absl::kZeroPad16),
                         ", which is no number of this store: move it away"));
      }
      opened_->next_segment = std::max(opened_->next_segment, id + 1);
    }
  }
  for (uint64_t id : names_) {
    const bool named =
        std::any_of(manifest_.segments.begin(), manifest_.segments.end(),
                    [id](const ManifestSegment& segment) { return segment.id == id; });
    if (!named) orphans_.push_back(id);
  }
  return absl::OkStatus();
}

absl::Status LogOpener::OpenSegments() {
  for (const ManifestSegment& record : manifest_.segments) {
    LogSegment each;
    each.record = record;
    const absl::Status status =
        OpenSegment(directory_, manifest_.uuid, record.id, record.length_bytes, record.salt,
                    !record.sealed && !options_.read_only, &each.segment);
    if (!status.ok()) return status;
    if (!open_.empty() && (record.sealed || record.has_frames())) {
      return absl::DataLossError("the store is damaged: MANIFEST: segments in a wrong order");
    }
    (record.sealed ? opened_->segments : open_).push_back(std::move(each));
  }
  return absl::OkStatus();
}

void LogOpener::FindSealedEnd() {
  opened_->last_seq = manifest_.removed_seq;
  opened_->last_chain = manifest_.removed_chain;
  for (const LogSegment& each : opened_->segments) {
    if (!each.record.has_frames() || each.record.last_seq < opened_->last_seq) continue;
    opened_->last_seq = each.record.last_seq;
    opened_->last_chain = each.record.last_chain;
  }
}

void LogOpener::CountRead(uint64_t bytes) {
  read_bytes_ += bytes;
  if (options_.progress != nullptr) {
    options_.progress(std::min(read_bytes_, to_read_bytes_), to_read_bytes_);
  }
}

// A checkpoint that is missing or does not hold costs time only.
bool LogOpener::LoadCheckpoint() {
  const ManifestCheckpoint& checkpoint = manifest_.checkpoint;
  if (checkpoint.id == 0) return false;
  char name[kCheckpointNameBytes];
  std::unique_ptr<File> file;
  if (directory_->Open(std::string(CheckpointName(checkpoint.id, name)), false, &file) !=
      IoError::kNone) {
    return false;
  }
  CheckpointReader reader(file.get());
  return reader.Open(manifest_.uuid, checkpoint.id, checkpoint.size_bytes) &&
         reader.header().covers_seq == checkpoint.covers_seq && load_.AddCheckpoint(&reader);
}

bool LogOpener::Covers(const ManifestSegment& record) const {
  return manifest_.checkpoint.id != 0 && record.last_seq <= manifest_.checkpoint.covers_seq;
}

absl::Status LogOpener::LoadSealed() {
  to_read_bytes_ = manifest_.checkpoint.size_bytes;
  for (const LogSegment& each : opened_->segments) {
    load_.Know(each.segment.get());
    if (!Covers(each.record)) to_read_bytes_ += each.record.end_bytes;
  }
  for (const LogSegment& each : open_) to_read_bytes_ += each.record.end_bytes;
  // Read-only, it stays named, to be verified.
  opened_->checkpoint = manifest_.checkpoint;
  if (!LoadCheckpoint()) manifest_.checkpoint = {};
  for (const LogSegment& each : opened_->segments) {
    if (Covers(each.record)) continue;
    const absl::Status status = load_.Add(each);
    if (!status.ok()) return status;
  }
  FindSealedEnd();
  // The sealed parts of the open segments; whether the index shall refer to them is not known yet.
  for (const LogSegment& each : open_) {
    if (!each.record.has_frames()) continue;
    if (each.record.base_seq != opened_->last_seq ||
        each.record.base_chain != opened_->last_chain) {
      return DamageStatus(each.record.id, 0, "it does not follow the segment before it");
    }
    const absl::Status status = WalkSealed(
        *each.segment, each.record, [](const FrameHeader&, Bytes) { return absl::OkStatus(); });
    if (!status.ok()) return status;
    opened_->last_seq = each.record.last_seq;
    opened_->last_chain = each.record.last_chain;
  }
  return absl::OkStatus();
}

absl::Status LogOpener::ScanUnsealed() {
  if (manifest_.clean) {
    // An older manifest may have been put back; then there are newer frames.
    const absl::Status status = CheckCleanTail(open_, &manifest_.clean);
    if (!status.ok()) return status;
    manifest_.clean = manifest_.clean && !open_.empty() && open_.size() <= 2;
    if (manifest_.clean) return absl::OkStatus();
  }
  const absl::Status status = ScanTail(open_, opened_->last_seq, opened_->last_chain, &tail_);
  if (status.ok() && !tail_.empty()) {
    opened_->last_seq = tail_.back().header.seq;
    opened_->last_chain = tail_.back().header.chain();
  }
  return status;
}

// A manifest that an operator put back would not name the newest segments.
absl::Status LogOpener::CheckOrphans() {
  for (uint64_t id : orphans_) {
    SegmentHold segment;
    absl::Status status = OpenUnnamedSegment(directory_, manifest_.uuid, id, &segment);
    if (!status.ok()) return status;
    if (segment == nullptr) continue;
    uint64_t seq = 0;
    status = NewestSeqIn(*segment, &seq);
    if (!status.ok()) return status;
    // A repair that was itself cut leaves a copy, perhaps with the frame that had been in flight,
    // which was in the page cache then and is lost now.
    if (seq > opened_->last_seq + (segment->is_repair() ? 1 : 0)) {
      return DamageStatus(id, 0, "MANIFEST is older than this segment and does not name it");
    }
  }
  return absl::OkStatus();
}

absl::Status LogOpener::FinishReadOnly() {
  for (LogSegment& each : open_) {
    ExtendRecord(tail_, &each.record);
    const absl::Status status = load_.Add(each);
    if (!status.ok()) return status;
    opened_->segments.push_back(std::move(each));
  }
  return load_.Finish();
}

absl::Status LogOpener::FinishClean() {
  absl::Status status = load_.Add(open_.front());
  if (status.ok()) status = load_.Finish();
  if (!status.ok()) return status;
  opened_->segments.push_back(std::move(open_.front()));
  if (open_.size() == 2) opened_->spare = std::move(open_.back());
  // Said before anything is written behind the ends.
  status = WriteNewManifest();
  if (!status.ok()) return status;
  for (uint64_t id : orphans_) RemoveSegment(id);
  RemoveCheckpoints();
  return absl::OkStatus();
}

void LogOpener::RemoveSegment(uint64_t id) {
  char name[kSegmentNameBytes];
  (void)directory_->Remove(std::string(SegmentName(id, name)));
}

void LogOpener::RemoveCheckpoints() {
  for (uint64_t id : checkpoints_) {
    char name[kCheckpointNameBytes];
    if (id != manifest_.checkpoint.id) {
      (void)directory_->Remove(std::string(CheckpointName(id, name)));
    }
  }
}

absl::Status LogOpener::WriteNewManifest() {
  Manifest manifest{.uuid = manifest_.uuid,
                    .epoch = manifest_.epoch + 1,
                    .next_segment = opened_->next_segment,
                    .removed_seq = manifest_.removed_seq,
                    .removed_chain = manifest_.removed_chain,
                    .checkpoint = manifest_.checkpoint};
  for (const LogSegment& each : opened_->segments) manifest.segments.push_back(each.record);
  if (opened_->spare.segment != nullptr) manifest.segments.push_back(opened_->spare.record);
  opened_->epoch = manifest.epoch;
  opened_->checkpoint = manifest.checkpoint;
  const IoFailure failure = WriteManifest(directory_, manifest);
  if (!failure) opened_->next_manifest = ReserveManifest(directory_, manifest);
  return StatusOf(failure);
}

absl::Status OpenLog(Directory* directory, const LogOptions& options, Index* index,
                     OpenedLog* opened) {
  return LogOpener(directory, options, index, opened).Run();
}

uint64_t NextSegmentBytes(const LogOptions& options, uint64_t length_bytes, uint64_t frame_bytes) {
  const uint64_t doubled = std::max(options.first_segment_bytes, 2 * length_bytes);
  return std::max(std::min(doubled, options.segment_bytes), kSegmentHeaderBytes + frame_bytes);
}

}  // namespace pure::store
