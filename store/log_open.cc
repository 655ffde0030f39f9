#include "store/log_open.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/check.h"
#include "store/checkpoint_format.h"
#include "store/checkpoint_reader.h"
#include "store/frame_reader.h"
#include "store/index_load.h"
#include "store/log_copy.h"

namespace pure::store {
namespace {

class LogOpener {
 public:
  LogOpener(Directory* directory, const LogOptions& options, Index* index, OpenedLog* opened)
      : directory_(directory),
        options_(options),
        load_(index, [this](uint64_t bytes) { CountRead(bytes); }),
        opened_(opened) {}

  absl::Status Run();

 private:
  absl::Status ReadNames();
  absl::Status ReadOrMakeManifest();
  absl::Status OpenSegments();
  bool LoadCheckpoint();
  bool Covers(const ManifestSegment& record) const;
  absl::Status LoadSealed();
  absl::Status ScanUnsealed();
  absl::Status CheckOrphans();
  absl::Status FinishReadOnly();
  absl::Status FinishClean();
  absl::Status SettleManifest();
  absl::Status Repair();
  absl::Status RetireOpenSegments(std::vector<TailFrame>* frames);
  absl::Status MakeFreshSegment(const std::vector<TailFrame>& frames);
  absl::Status WriteNewManifest();
  // Of checkpoints that no manifest names any more.
  void RemoveCheckpoints();
  void CountRead(uint64_t bytes);
  // The frame before those of open_.
  void FindSealedEnd();

  Directory* const directory_;
  const LogOptions& options_;
  IndexLoad load_;
  OpenedLog* const opened_;
  bool has_manifest_ = false;
  std::vector<uint64_t> names_;        // ids of the segment files
  std::vector<uint64_t> checkpoints_;  // ids of the checkpoint files
  Manifest manifest_;                  // as read
  std::vector<uint64_t> orphans_;      // segment files that no manifest names
  std::vector<LogSegment> open_;       // segments that are not sealed
  std::vector<TailFrame> tail_;        // unsealed frames that hold
  std::vector<LogSegment> replaced_;   // that the new manifest no longer names
  uint64_t read_bytes_ = 0;
  uint64_t to_read_bytes_ = 0;
};

std::string NameOf(uint64_t id) {
  char name[kSegmentNameBytes];
  return std::string(SegmentName(id, name));
}

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
  for (uint64_t id : checkpoints_) {
    opened_->next_segment = std::max(opened_->next_segment, id + 1);
  }
  for (uint64_t id : names_) {
    opened_->next_segment = std::max(opened_->next_segment, id + 1);
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
  for (uint64_t id : orphans_) (void)directory_->Remove(NameOf(id));
  RemoveCheckpoints();
  return absl::OkStatus();
}

void LogOpener::RemoveCheckpoints() {
  for (uint64_t id : checkpoints_) {
    char name[kCheckpointNameBytes];
    if (id != manifest_.checkpoint.id) {
      (void)directory_->Remove(std::string(CheckpointName(id, name)));
    }
  }
}

// Makes the manifest that was read durable where the repair relies on that: it may have been
// renamed into its place without being synced there. Before the first segment is made, because
// segments without a manifest mean damage; and before orphans go, which an older manifest may name.
// They go first to make room: copies of a repair that was itself cut may fill the disk.
absl::Status LogOpener::SettleManifest() {
  if (orphans_.empty() && (!has_manifest_ || !manifest_.segments.empty())) return absl::OkStatus();
  Manifest same = manifest_;
  same.next_segment = opened_->next_segment;
  const IoFailure failure = WriteManifest(directory_, same);
  if (failure) return StatusOf(failure);
  for (uint64_t id : orphans_) (void)directory_->Remove(NameOf(id));
  return absl::OkStatus();
}

// Whether the sealed frames of an open segment move along with the unsealed ones, so that unclean
// stops do not leave a mostly empty segment each. Frames with a damaged extent stay where they are,
// to be reported when read.
bool PrefixIsWorthCopying(const LogSegment& open) {
  if (open.record.end_bytes > open.record.length_bytes / 2) return false;
  FrameReader reader(open.segment->file(), open.record.end_bytes);
  FrameHeader header;
  for (uint64_t at = kSegmentHeaderBytes; at < open.record.end_bytes; at += header.frame_bytes) {
    if (reader.ReadHeader(open.record.id, at, &header) != FrameState::kSound) return false;
    if (CheckFrame(*open.segment, &reader, header) != FrameState::kSound) return false;
  }
  return true;
}

// No frame goes into them any more: each is sealed as it is, or gives its frames away.
absl::Status LogOpener::RetireOpenSegments(std::vector<TailFrame>* frames) {
  for (LogSegment& each : open_) {
    if (each.record.has_frames() && !PrefixIsWorthCopying(each)) {
      each.record.sealed = true;
      const absl::Status status = load_.Add(each);
      if (!status.ok()) return status;
      opened_->segments.push_back(std::move(each));
      continue;
    }
    FrameReader reader(each.segment->file(), each.record.end_bytes);
    TailFrame frame{each.segment.get(), {}};
    for (uint64_t at = kSegmentHeaderBytes; at < each.record.end_bytes;
         at += frame.header.frame_bytes) {
      if (reader.ReadHeader(each.record.id, at, &frame.header) != FrameState::kSound) {
        return DamageStatus(each.record.id, at, "a saved frame changed while it was read");
      }
      frames->push_back(frame);
    }
    replaced_.push_back(std::move(each));
  }
  return absl::OkStatus();
}

absl::Status LogOpener::Repair() {
  std::vector<TailFrame> frames;
  absl::Status status = SettleManifest();
  if (status.ok()) status = RetireOpenSegments(&frames);
  if (!status.ok()) return status;
  frames.insert(frames.end(), tail_.begin(), tail_.end());
  status = MakeFreshSegment(frames);
  if (status.ok()) status = WriteNewManifest();
  if (!status.ok()) return status;
  for (const LogSegment& each : replaced_) (void)directory_->Remove(NameOf(each.record.id));
  RemoveCheckpoints();
  return absl::OkStatus();
}

// The segment to append to, beginning with copies of `frames`.
absl::Status LogOpener::MakeFreshSegment(const std::vector<TailFrame>& frames) {
  PURE_CHECK(options_.entropy != nullptr, "a new segment needs entropy");
  uint64_t end = kSegmentHeaderBytes;
  for (const TailFrame& frame : frames) end += frame.header.frame_bytes;
  opened_->copied_bytes = end - kSegmentHeaderBytes;
  const SegmentHeader header{
      .uuid = manifest_.uuid,
      .id = opened_->next_segment++,
      .predecessor = opened_->segments.empty() ? 0 : opened_->segments.back().record.id,
      .salt = options_.entropy->Next(),
      .length_bytes = end - kSegmentHeaderBytes +
                      std::min(options_.first_segment_bytes, options_.segment_bytes),
      .repair = true};
  FindSealedEnd();
  SegmentMaker maker(directory_, header, end);
  IoFailure failure = maker.Prepare();
  LogCopy copy(header, maker.file(), opened_->last_seq, opened_->last_chain);
  absl::Status status = StatusOf(failure);
  for (size_t i = 0; i < frames.size() && status.ok(); ++i) {
    status = copy.Append(*frames[i].segment, frames[i].header);
  }
  if (status.ok()) status = copy.Finish();
  if (status.ok()) {
    failure = maker.FinishAll();
    status = StatusOf(failure);
  }
  if (!status.ok()) {
    if (!failure.sync) maker.Abandon();
    return status;
  }
  opened_->last_seq = copy.record().last_seq;
  opened_->last_chain = copy.record().last_chain;
  opened_->segments.push_back({maker.Take(), copy.record()});
  status = load_.Add(opened_->segments.back());
  if (status.ok()) status = load_.Finish();
  if (!status.ok()) (void)directory_->Remove(NameOf(header.id));  // as if nothing had been tried
  return status;
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
  return StatusOf(WriteManifest(directory_, manifest));
}

}  // namespace

absl::Status OpenLog(Directory* directory, const LogOptions& options, Index* index,
                     OpenedLog* opened) {
  return LogOpener(directory, options, index, opened).Run();
}

uint64_t NextSegmentBytes(const LogOptions& options, uint64_t length_bytes, uint64_t frame_bytes) {
  const uint64_t doubled = std::max(options.first_segment_bytes, 2 * length_bytes);
  return std::max(std::min(doubled, options.segment_bytes), kSegmentHeaderBytes + frame_bytes);
}

}  // namespace pure::store
