#include "store/frame_reader.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace pure::store {
namespace {

constexpr uint64_t kWindowBytes = 64u << 10;

absl::Status Unreadable(const Segment& segment, uint64_t offset) {
  char name[kSegmentNameBytes];
  return StatusOf(
      {.error = IoError::kInputOutput,
       .what = absl::StrCat("reading ", SegmentName(segment.id(), name), " at offset ", offset)});
}

}  // namespace

FrameState FrameReader::Fetch(uint64_t offset, uint64_t size, Bytes* bytes) {
  if (size > limit_bytes_ || offset > limit_bytes_ - size) return FrameState::kBad;
  if (offset < window_begin_ || offset + size > window_begin_ + window_.size()) {
    window_.resize(std::min(std::max(size, kWindowBytes), limit_bytes_ - offset));
    window_begin_ = offset;
    if (file_->Read(offset, absl::MakeSpan(window_)) != IoError::kNone) {
      window_.resize(size);  // what can not be read may lie behind what is wanted
      if (file_->Read(offset, absl::MakeSpan(window_)) != IoError::kNone) {
        window_.clear();
        return FrameState::kUnreadable;
      }
    }
  }
  *bytes = Bytes(window_.data() + (offset - window_begin_), size);
  return FrameState::kSound;
}

FrameState FrameReader::ReadHeaderOfAny(uint64_t offset, FrameHeader* header) {
  Bytes bytes;
  const FrameState state = Fetch(offset, kFrameHeaderBytes, &bytes);
  if (state != FrameState::kSound) return state;
  return DecodeFrameHeader(bytes, header) == Decoded::kOk ? FrameState::kSound : FrameState::kBad;
}

FrameState FrameReader::ReadHeader(uint64_t segment, uint64_t offset, FrameHeader* header) {
  const FrameState state = ReadHeaderOfAny(offset, header);
  if (state != FrameState::kSound) return state;
  if (header->segment != segment || header->offset != offset) return FrameState::kBad;
  return header->frame_bytes <= limit_bytes_ - offset ? FrameState::kSound : FrameState::kBad;
}

FrameState FrameReader::ReadEntries(const FrameHeader& header, Bytes* entries) {
  Bytes footer;
  FrameState state =
      Fetch(header.payload_offset() + header.payload_bytes, kFrameFooterBytes, &footer);
  if (state != FrameState::kSound) return state;
  if (!FooterMatches(header, footer)) return FrameState::kBad;
  state = Fetch(header.offset + kFrameHeaderBytes, header.entries_bytes, entries);
  if (state != FrameState::kSound) return state;
  if (Crc(*entries) != header.entries_crc) return FrameState::kBad;
  EntryReader reader(*entries, header.entry_count);
  for (EntryView entry; reader.Next(&entry);) {
  }
  return reader.complete() ? FrameState::kSound : FrameState::kBad;
}

bool InPayload(const FrameHeader& header, const DiskExtent& extent) {
  const uint64_t begin = header.payload_offset();
  const uint64_t end = begin + header.payload_bytes;
  return extent.segment == header.segment && extent.offset >= begin && extent.offset <= end &&
         extent.length <= end - extent.offset;
}

FrameState CheckFrame(const Segment& segment, FrameReader* reader, const FrameHeader& header) {
  Bytes entries;
  const FrameState state = reader->ReadEntries(header, &entries);
  if (state != FrameState::kSound) return state;
  EntryReader entry_reader(entries, header.entry_count);
  for (EntryView entry; entry_reader.Next(&entry);) {
    for (uint32_t i = 0; i < entry.extent_count; ++i) {
      const DiskExtent extent = entry.extent(i);
      if (!InPayload(header, extent)) continue;
      switch (segment.CheckExtent(extent.offset, extent.length, extent.checksum)) {
        case Segment::Check::kSound:
          break;
        case Segment::Check::kDamaged:
          return FrameState::kBad;
        case Segment::Check::kUnreadable:
          return FrameState::kUnreadable;
      }
    }
  }
  return FrameState::kSound;
}

absl::Status WalkSealed(
    const Segment& segment, const ManifestSegment& record,
    absl::FunctionRef<absl::Status(const FrameHeader& header, Bytes entries)> visit) {
  FrameReader reader(segment.file(), record.end_bytes);
  uint64_t seq = record.base_seq;
  uint64_t chain = record.base_chain;
  for (uint64_t offset = kSegmentHeaderBytes; offset < record.end_bytes;) {
    FrameHeader header;
    FrameState state = reader.ReadHeader(segment.id(), offset, &header);
    if (state == FrameState::kUnreadable) return Unreadable(segment, offset);
    if (state == FrameState::kBad) {
      return DamageStatus(segment.id(), offset, "the header of a saved frame does not hold");
    }
    if (header.salt != segment.salt() || header.seq != seq + 1 || header.previous_chain != chain) {
      return DamageStatus(segment.id(), offset, "the frame does not follow the one before it");
    }
    Bytes entries;
    state = reader.ReadEntries(header, &entries);
    if (state == FrameState::kUnreadable) return Unreadable(segment, offset);
    if (state == FrameState::kBad) {
      return DamageStatus(segment.id(), offset, "the entries of a saved frame do not hold");
    }
    const absl::Status status = visit(header, entries);
    if (!status.ok()) return status;
    seq = header.seq;
    chain = header.chain();
    offset += header.frame_bytes;
  }
  if (record.has_frames() && (seq != record.last_seq || chain != record.last_chain)) {
    return DamageStatus(segment.id(), record.end_bytes,
                        "the last frame is not the one that the manifest names");
  }
  return absl::OkStatus();
}

}  // namespace pure::store
