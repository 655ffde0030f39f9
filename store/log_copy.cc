#include "store/log_copy.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "runtime/check.h"

namespace pure::store {
namespace {

constexpr size_t kBufferBytes = 1u << 20;

}  // namespace

LogCopy::LogCopy(const SegmentHeader& target, File* file, uint64_t base_seq, uint64_t base_chain)
    : target_(target), file_(file), buffer_(kBufferBytes) {
  record_ = {.id = target.id,
             .length_bytes = target.length_bytes,
             .salt = target.salt,
             .base_seq = base_seq,
             .base_chain = base_chain,
             .last_seq = base_seq,
             .last_chain = base_chain};
}

absl::Status LogCopy::Append(const Segment& segment, const FrameHeader& header) {
  PURE_CHECK(record_.end_bytes + header.frame_bytes <= target_.length_bytes,
             "the copy's segment is too small");
  moved_[{header.segment, header.offset}] = {header.offset + header.frame_bytes, record_.end_bytes};
  FrameReader reader(segment.file(), segment.length_bytes());
  absl::Status status = CopyEntries(segment, &reader, header);
  if (!status.ok()) return status;

  FrameHeader copy = header;
  copy.salt = target_.salt;
  copy.segment = target_.id;
  copy.offset = record_.end_bytes;
  copy.previous_chain = record_.last_chain;
  copy.entries_crc = Crc(Bytes(entries_.data(), entries_.size()));
  MutableBytes room;
  status = Room(kFrameHeaderBytes, &room);
  if (!status.ok()) return status;
  EncodeFrameHeader(&copy, room);
  for (size_t done = 0; done < entries_.size(); done += room.size()) {
    status = Room(std::min(kBufferBytes, entries_.size() - done), &room);
    if (!status.ok()) return status;
    std::memcpy(room.data(), entries_.data() + done, room.size());
  }
  status = CopyPayload(segment, header);
  if (!status.ok()) return status;
  const uint64_t padding =
      copy.frame_bytes - kFrameHeaderBytes - entries_.size() - copy.payload_bytes;
  status = Room(padding, &room);
  if (!status.ok()) return status;
  std::memset(room.data(), 0, room.size());
  EncodeFrameFooter(copy, room.first(kFrameFooterBytes));
  record_.end_bytes += copy.frame_bytes;
  record_.last_seq = copy.seq;
  record_.last_chain = copy.chain();
  return absl::OkStatus();
}

absl::Status LogCopy::CopyEntries(const Segment& segment, FrameReader* reader,
                                  const FrameHeader& header) {
  Bytes entries;
  if (reader->ReadEntries(header, &entries) != FrameState::kSound) {
    return DamageStatus(segment.id(), header.offset, "the frame changed while it was copied");
  }
  old_entries_.assign(entries.begin(), entries.end());
  entries_ = old_entries_;
  EntryReader entry_reader(Bytes(old_entries_.data(), old_entries_.size()), header.entry_count);
  for (EntryView entry; entry_reader.Next(&entry);) {
    for (uint32_t i = 0; i < entry.extent_count; ++i) {
      const size_t position = entry.extents_position + i * kEntryExtentBytes;
      EncodeExtent(Move(entry.extent(i)), absl::MakeSpan(entries_).subspan(position));
    }
  }
  return absl::OkStatus();
}

DiskExtent LogCopy::Move(const DiskExtent& extent) const {
  auto after = moved_.upper_bound({extent.segment, extent.offset});
  if (after == moved_.begin()) return extent;
  const auto& [old_place, moved] = *std::prev(after);
  if (old_place.first != extent.segment || extent.offset >= moved.end) return extent;
  DiskExtent copy = extent;
  copy.segment = target_.id;
  copy.offset = moved.target + (extent.offset - old_place.second);
  const uint32_t data_crc = UnbindChecksum(PlaceCrc(target_.uuid, extent.segment, extent.offset),
                                           extent.checksum, extent.length);
  copy.checksum =
      BindChecksum(PlaceCrc(target_.uuid, copy.segment, copy.offset), data_crc, copy.length);
  return copy;
}

absl::Status LogCopy::CopyPayload(const Segment& segment, const FrameHeader& header) {
  uint64_t copied = 0;
  EntryReader reader(Bytes(old_entries_.data(), old_entries_.size()), header.entry_count);
  for (EntryView entry; reader.Next(&entry);) {
    for (uint32_t i = 0; i < entry.extent_count; ++i) {
      const DiskExtent extent = entry.extent(i);
      if (!InPayload(header, extent)) continue;
      if (extent.offset != header.payload_offset() + copied) {
        return DamageStatus(segment.id(), header.offset, "the frame's extents leave a gap");
      }
      const absl::Status status = CopyExtent(segment, extent);
      if (!status.ok()) return status;
      copied += extent.length;
    }
  }
  if (copied == header.payload_bytes) return absl::OkStatus();
  return DamageStatus(segment.id(), header.offset, "the frame's extents leave a gap");
}

absl::Status LogCopy::CopyExtent(const Segment& segment, const DiskExtent& extent) {
  uint32_t crc = PlaceCrc(segment.uuid(), extent.segment, extent.offset);
  for (uint64_t done = 0; done < extent.length;) {
    MutableBytes room;
    absl::Status status = Room(std::min<uint64_t>(kBufferBytes, extent.length - done), &room);
    if (!status.ok()) return status;
    const IoError error = segment.file()->Read(extent.offset + done, room);
    if (error != IoError::kNone) {
      return StatusOf({.error = error, .what = "reading an unsealed segment"});
    }
    crc = ExtendCrc(crc, Bytes(room.data(), room.size()));
    done += room.size();
  }
  if (crc == extent.checksum) return absl::OkStatus();
  return DamageStatus(segment.id(), extent.offset, "the bytes changed while they were copied");
}

absl::Status LogCopy::Room(size_t size, MutableBytes* room) {
  if (size > kBufferBytes - buffered_) {
    const absl::Status status = Write();
    if (!status.ok()) return status;
  }
  *room = absl::MakeSpan(buffer_).subspan(buffered_, size);
  buffered_ += size;
  return absl::OkStatus();
}

absl::Status LogCopy::Write() {
  const Bytes spans[] = {Bytes(buffer_.data(), buffered_)};
  uint64_t written_bytes = 0;
  const IoError error = file_->Write(written_end_, spans, &written_bytes);
  if (error != IoError::kNone) {
    return StatusOf({.error = error, .what = "writing the copy of the unsealed frames"});
  }
  written_end_ += buffered_;
  buffered_ = 0;
  return absl::OkStatus();
}

absl::Status LogCopy::Finish() { return buffered_ == 0 ? absl::OkStatus() : Write(); }

}  // namespace pure::store
