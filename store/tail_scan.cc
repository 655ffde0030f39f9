#include "store/tail_scan.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "store/frame_reader.h"
#include "store/planted_bug.h"

namespace pure::store {
namespace {

constexpr uint64_t kSectorBytes = 512;

absl::Status Unreadable(uint64_t segment, uint64_t offset) {
  char name[kSegmentNameBytes];
  return StatusOf(
      {.error = IoError::kInputOutput,
       .what = absl::StrCat("reading ", SegmentName(segment, name), " at offset ", offset)});
}

class Scan {
 public:
  Scan(absl::Span<const LogSegment> open, uint64_t seq, uint64_t chain,
       std::vector<TailFrame>* frames)
      : open_(open), seq_(seq), chain_(chain), frames_(frames) {
    for (const LogSegment& each : open) {
      readers_.emplace_back(each.segment->file(), each.segment->length_bytes());
      ends_.push_back(each.record.end_bytes);
    }
  }

  absl::Status Run() {
    for (bool more = !open_.empty(); more;) {
      const absl::Status status = Step(&more);
      if (!status.ok()) return status;
    }
    return CheckRest();
  }

 private:
  // A header that is the next frame's.
  absl::Status ReadNext(size_t at, uint64_t offset, FrameHeader* header, bool* is_next) {
    const Segment& segment = *open_[at].segment;
    const FrameState state = readers_[at].ReadHeader(segment.id(), offset, header);
    if (state == FrameState::kUnreadable) return Unreadable(segment.id(), offset);
    *is_next = state == FrameState::kSound &&
               (header->salt == segment.salt() || Planted(Bug::kAcceptOldSalt)) &&
               header->seq == seq_ + 1;
    if (*is_next && !Planted(Bug::kSkipChainCheck) && header->previous_chain != chain_) {
      return DamageStatus(segment.id(), offset, "the frame before this one is not the saved one");
    }
    return absl::OkStatus();
  }

  // Takes one frame, goes to the next segment, or finds the end.
  absl::Status Step(bool* more) {
    FrameHeader header;
    bool is_next = false;
    absl::Status status = ReadNext(at_, ends_[at_], &header, &is_next);
    if (!status.ok()) return status;
    if (is_next) {
      Segment* segment = open_[at_].segment.get();
      switch (CheckFrame(*segment, &readers_[at_], header)) {
        case FrameState::kSound:
          frames_->push_back({segment, header});
          seq_ = header.seq;
          chain_ = header.chain();
          ends_[at_] += header.frame_bytes;
          return absl::OkStatus();
        case FrameState::kUnreadable:
          return Unreadable(segment->id(), ends_[at_]);
        case FrameState::kBad:
          *more = false;  // in flight
          return absl::OkStatus();
      }
    }
    if (at_ + 1 == open_.size()) {
      *more = false;
      return absl::OkStatus();
    }
    status = ReadNext(at_ + 1, ends_[at_ + 1], &header, &is_next);
    if (is_next) {
      ++at_;
    } else {
      *more = false;
    }
    return status;
  }

  // No later frame may have a sound header anywhere behind the frames that were taken, not even in
  // a sector that is not its own: disks put sectors into wrong places.
  absl::Status CheckRest() {
    if (Planted(Bug::kCutAtBadFrame)) return absl::OkStatus();
    for (size_t i = 0; i < open_.size(); ++i) {
      const Segment& segment = *open_[i].segment;
      for (uint64_t offset = ends_[i]; offset < segment.length_bytes(); offset += kSectorBytes) {
        FrameHeader header;
        const FrameState state = readers_[i].ReadHeaderOfAny(offset, &header);
        if (state == FrameState::kUnreadable) return Unreadable(segment.id(), offset);
        if (state == FrameState::kBad || header.seq <= seq_ || !IsOfTheTail(header)) continue;
        const bool in_flight = i == at_ && offset == ends_[at_] && header.seq == seq_ + 1 &&
                               header.segment == segment.id() && header.offset == offset;
        if (in_flight) continue;
        return DamageStatus(
            open_[at_].segment->id(), ends_[at_],
            absl::StrCat("the frame with number ", seq_ + 1, " does not hold, but a later one (",
                         header.seq, ") does"));
      }
    }
    return absl::OkStatus();
  }

  bool IsOfTheTail(const FrameHeader& header) const {
    return std::any_of(open_.begin(), open_.end(), [&header](const LogSegment& each) {
      return each.segment->id() == header.segment && each.segment->salt() == header.salt;
    });
  }

  const absl::Span<const LogSegment> open_;
  std::vector<FrameReader> readers_;
  std::vector<uint64_t> ends_;  // of the frames that hold
  size_t at_ = 0;               // the segment of the newest one
  uint64_t seq_;
  uint64_t chain_;
  std::vector<TailFrame>* const frames_;
};

}  // namespace

absl::Status ScanTail(absl::Span<const LogSegment> open, uint64_t seq, uint64_t chain,
                      std::vector<TailFrame>* frames) {
  return Scan(open, seq, chain, frames).Run();
}

void ExtendRecord(absl::Span<const TailFrame> frames, ManifestSegment* record) {
  for (const TailFrame& frame : frames) {
    if (frame.header.segment != record->id) continue;
    if (!record->has_frames()) {
      record->base_seq = frame.header.seq - 1;
      record->base_chain = frame.header.previous_chain;
    }
    record->end_bytes = frame.header.offset + frame.header.frame_bytes;
    record->last_seq = frame.header.seq;
    record->last_chain = frame.header.chain();
  }
}

absl::Status CheckCleanTail(absl::Span<const LogSegment> open, bool* clean) {
  for (const LogSegment& each : open) {
    const Segment& segment = *each.segment;
    FrameReader reader(segment.file(), segment.length_bytes());
    FrameHeader header;
    const FrameState state = reader.ReadHeader(segment.id(), each.record.end_bytes, &header);
    if (state == FrameState::kUnreadable) return Unreadable(segment.id(), each.record.end_bytes);
    if (state == FrameState::kSound && header.salt == segment.salt()) *clean = false;
  }
  return absl::OkStatus();
}

absl::Status NewestSeqIn(const Segment& segment, uint64_t* seq) {
  FrameReader reader(segment.file(), segment.length_bytes());
  *seq = 0;
  uint64_t offset = kSegmentHeaderBytes;
  while (offset < segment.length_bytes()) {
    FrameHeader header;
    FrameState state = reader.ReadHeader(segment.id(), offset, &header);
    if (state == FrameState::kSound && header.salt == segment.salt()) {
      state = CheckFrame(segment, &reader, header);
    } else if (state == FrameState::kSound) {
      state = FrameState::kBad;
    }
    if (state == FrameState::kUnreadable) return Unreadable(segment.id(), offset);
    if (state == FrameState::kSound) *seq = std::max(*seq, header.seq);
    offset += state == FrameState::kSound ? header.frame_bytes : kBlockBytes;
  }
  return absl::OkStatus();
}

}  // namespace pure::store
