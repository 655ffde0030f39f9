#include "store/store_copy.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "store/damage.h"
#include "store/format.h"
#include "store/io_failure.h"
#include "store/segment.h"
#include "store/segment_verify.h"

namespace pure::store {
namespace {

constexpr int kManifestTries = 16;
constexpr int kLockWaitMs = 250;
constexpr size_t kPieceBytes = 1u << 20;

std::string NameOf(uint64_t id) {
  char name[kSegmentNameBytes];
  return std::string(SegmentName(id, name));
}

absl::Status StatusOfCopy(const IoFailure& failure) {
  const absl::Status status = StatusOf(failure);
  return failure.sync ? absl::AbortedError(status.message()) : status;
}

absl::Status StatusOfDamage(const Damage& damage) {
  const std::string where =
      damage.key.empty() ? damage.what : absl::StrCat(damage.what, " (key ", damage.key, ")");
  return DamageStatus(damage.segment, damage.offset, where);
}

absl::Status CheckEmpty(Directory* directory) {
  std::vector<std::string> names;
  const IoError error = directory->List(&names);
  if (error != IoError::kNone) {
    return StatusOf({.error = error, .what = "listing the destination"});
  }
  for (const std::string& name : names) {
    if (name == kLockFileName) continue;
    return absl::FailedPreconditionError(absl::StrCat(
        "the destination is not empty: it holds \"", name,
        "\"; name a new directory, or remove what an interrupted copy left in this one"));
  }
  return absl::OkStatus();
}

class CopyWriter {
 public:
  CopyWriter(Directory* directory, CopyCounts* counts,
             const std::function<void(uint64_t, uint64_t)>& progress, uint64_t all_bytes)
      : directory_(directory),
        counts_(counts),
        progress_(progress),
        all_bytes_(all_bytes),
        piece_(kPieceBytes) {}

  absl::Status CopySegment(const LogSegment& from) {
    SegmentMaker maker(directory_, from.segment->header(), from.record.end_bytes);
    IoFailure failure = maker.Prepare();
    absl::Status status = StatusOfCopy(failure);
    if (status.ok()) status = CopyFrames(from, maker.file());
    if (status.ok()) {
      failure = maker.FinishAll();
      status = StatusOfCopy(failure);
    }
    if (!status.ok()) {
      if (!failure.sync) maker.Abandon();
      return status;
    }
    made_.push_back(from.record.id);
    const SegmentHold copy = maker.Take();
    return Verify(*copy, from.record);
  }

  absl::Status Finish(const Manifest& manifest) {
    return StatusOfCopy(WriteManifest(directory_, manifest));
  }

  void RemoveAll() {
    for (uint64_t id : made_) (void)directory_->Remove(NameOf(id));
    (void)directory_->Remove(kManifestNewName);
  }

 private:
  absl::Status CopyFrames(const LogSegment& from, File* to) {
    const uint64_t end = from.record.end_bytes;
    for (uint64_t offset = kSegmentHeaderBytes; offset < end;) {
      const MutableBytes piece =
          absl::MakeSpan(piece_).first(std::min<uint64_t>(kPieceBytes, end - offset));
      IoError error = from.segment->file()->Read(offset, piece);
      if (error != IoError::kNone) return Failed(error, "reading ", from, offset);
      const Bytes spans[] = {Bytes(piece.data(), piece.size())};
      uint64_t written_bytes = 0;
      error = to->Write(offset, spans, &written_bytes);
      if (error != IoError::kNone) return Failed(error, "writing the copy of ", from, offset);
      offset += piece.size();
      counts_->frame_bytes += piece.size();
      if (progress_ != nullptr) progress_(counts_->frame_bytes, all_bytes_);
    }
    return absl::OkStatus();
  }

  static absl::Status Failed(IoError error, const char* call, const LogSegment& from,
                             uint64_t offset) {
    return StatusOf({.error = error,
                     .what = absl::StrCat(call, NameOf(from.record.id), " at offset ", offset)});
  }

  // The copy, as it was written: what is wrong in it was wrong in the source.
  absl::Status Verify(const Segment& copy, const ManifestSegment& record) {
    absl::Status first;
    const absl::Status walked = VerifySegment(
        copy, record,
        [&first](const Damage& damage) {
          if (first.ok()) first = StatusOfDamage(damage);
        },
        [this](const FrameHeader&) { ++counts_->frames; });
    ++counts_->segments;
    return first.ok() ? walked : first;
  }

  Directory* const directory_;
  CopyCounts* const counts_;
  const std::function<void(uint64_t, uint64_t)>& progress_;
  const uint64_t all_bytes_;
  std::vector<char> piece_;
  std::vector<uint64_t> made_;
};

}  // namespace

absl::Status StoreCopy::Open(Directory* source, Source kind) {
  // Before the lock, which makes a file: a directory of something else stays as it is.
  absl::Status status = ReadManifest(source, &manifest_);
  if (status.ok() && kind == Source::kIdle) {
    const IoError error = source->Lock(kLockWaitMs, &lock_);
    if (error == IoError::kLocked) {
      return absl::FailedPreconditionError("the store is in use by another process");
    }
    if (error != IoError::kNone && error != IoError::kRefused) {
      return StatusOf({.error = error, .what = "locking the store"});
    }
  }
  std::string last_tried;
  for (int tries = 0; status.ok(); ++tries) {
    status = ReadManifest(source, &manifest_);
    if (!status.ok()) break;
    status = OpenSegments(source);
    if (status.ok()) return ReadTail();
    // A server may have put another manifest in its place, and removed what that does not name.
    const std::string tried = EncodeManifest(manifest_);
    if (status.code() != absl::StatusCode::kDataLoss || tried == last_tried ||
        tries + 1 == kManifestTries) {
      break;
    }
    last_tried = tried;
    status = absl::OkStatus();
  }
  return status;
}

absl::Status StoreCopy::OpenSegments(Directory* source) {
  segments_.clear();
  for (const ManifestSegment& record : manifest_.segments) {
    LogSegment each;
    each.record = record;
    const absl::Status status = OpenSegment(source, manifest_.uuid, record.id, record.length_bytes,
                                            record.salt, false, &each.segment);
    if (!status.ok()) return status;
    segments_.push_back(std::move(each));
  }
  return absl::OkStatus();
}

absl::Status StoreCopy::ReadTail() {
  const auto open = std::find_if(segments_.begin(), segments_.end(),
                                 [](const LogSegment& each) { return !each.record.sealed; });
  uint64_t seq = manifest_.removed_seq;
  uint64_t chain = manifest_.removed_chain;
  for (const LogSegment& each : segments_) {
    if (!each.record.has_frames() || each.record.last_seq < seq) continue;
    seq = each.record.last_seq;
    chain = each.record.last_chain;
  }
  const auto tail = absl::MakeSpan(segments_).subspan(open - segments_.begin());
  absl::Status status;
  for (bool more = true; more;) {
    std::vector<TailFrame> frames;
    status = ScanTail(tail, seq, chain, &frames);
    for (LogSegment& each : tail) ExtendRecord(frames, &each.record);
    // A frame that was being written looks torn. When a later one is there it has been written
    // meanwhile, so that another look finds it; if not, it is damaged.
    more = status.code() == absl::StatusCode::kDataLoss && !frames.empty();
    if (frames.empty()) continue;
    seq = frames.back().header.seq;
    chain = frames.back().header.chain();
  }
  return status;
}

absl::Status StoreCopy::WriteTo(Directory* destination, CopyCounts* counts,
                                const std::function<void(uint64_t, uint64_t)>& progress) {
  absl::Status status = CheckEmpty(destination);
  if (!status.ok()) return status;
  std::unique_ptr<DirectoryLock> lock;
  const IoError error = destination->Lock(kLockWaitMs, &lock);
  if (error != IoError::kNone) {
    return StatusOf({.error = error, .what = "locking the destination"});
  }
  status = CheckEmpty(destination);
  if (!status.ok()) return status;

  Manifest copy = manifest_;
  copy.clean = true;
  copy.checkpoint = {};  // a cache, which the copy makes for itself
  copy.segments.clear();
  uint64_t all_bytes = 0;
  for (const LogSegment& each : segments_) {
    if (!each.record.has_frames()) continue;
    all_bytes += each.record.end_bytes - kSegmentHeaderBytes;
    // Nothing goes into a segment that another one follows.
    if (!copy.segments.empty()) copy.segments.back().sealed = true;
    copy.segments.push_back(each.record);
  }
  CopyWriter writer(destination, counts, progress, all_bytes);
  for (const LogSegment& each : segments_) {
    if (status.ok() && each.record.has_frames()) status = writer.CopySegment(each);
  }
  if (status.ok()) status = writer.Finish(copy);
  if (!status.ok() && status.code() != absl::StatusCode::kAborted) writer.RemoveAll();
  return status;
}

}  // namespace pure::store
