// What an opening does about frames that an unclean stop left unsealed.

#include <algorithm>
#include <utility>

#include "runtime/check.h"
#include "store/frame_reader.h"
#include "store/log_copy.h"
#include "store/log_opener.h"

namespace pure::store {
namespace {

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

}  // namespace

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
  for (uint64_t id : orphans_) RemoveSegment(id);
  return absl::OkStatus();
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
  for (const LogSegment& each : replaced_) RemoveSegment(each.record.id);
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
  if (!status.ok()) RemoveSegment(header.id);  // as if nothing had been tried
  return status;
}

}  // namespace pure::store
