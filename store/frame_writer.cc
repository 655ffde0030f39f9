#include "store/frame_writer.h"

#include <cstring>

#include "runtime/check.h"
#include "store/planted_bug.h"

namespace pure::store {
namespace {

// A buffer that grew beyond it for one unusual save is given back.
constexpr size_t kKeptBufferBytes = 8u << 20;

}  // namespace

void FrameWriter::Size::AddEntry(Bytes key, size_t extent_count) {
  ++entry_count;
  entries_bytes += EntryBytes(key.size(), extent_count);
}

void FrameWriter::Size::AddPayload(absl::Span<const Bytes> pieces) {
  for (Bytes piece : pieces) {
    payload_bytes += piece.size();
    if (piece.size() <= kCopyBytesMax) copied_bytes += piece.size();
  }
}

void FrameWriter::Begin(const Target& target, const Size& size) {
  target_ = target;
  header_ = {.salt = target.segment->salt(),
             .seq = target.seq,
             .segment = target.segment->id(),
             .offset = target.offset,
             .frame_bytes = size.frame_bytes(),
             .payload_bytes = size.payload_bytes,
             .previous_chain = target.previous_chain,
             .entry_count = size.entry_count,
             .entries_bytes = static_cast<uint32_t>(size.entries_bytes)};
  const size_t buffer_bytes =
      kFrameHeaderBytes + size.entries_bytes + size.copied_bytes + kFrameFooterBytes + kBlockBytes;
  if (buffer_.size() > kKeptBufferBytes && buffer_bytes <= kKeptBufferBytes) {
    buffer_ = std::vector<char>();
  }
  if (buffer_.size() < buffer_bytes) buffer_.resize(buffer_bytes);
  entries_end_ = kFrameHeaderBytes;
  run_begin_ = 0;
  buffer_end_ = kFrameHeaderBytes + size.entries_bytes;
  payload_end_ = header_.payload_offset();
  entries_added_ = 0;
  spans_.clear();
}

void FrameWriter::CloseRun() {
  if (buffer_end_ > run_begin_) {
    spans_.push_back(Bytes(buffer_.data() + run_begin_, buffer_end_ - run_begin_));
  }
  run_begin_ = buffer_end_;
}

StoredExtent FrameWriter::AddPayload(absl::Span<const Bytes> pieces, uint32_t data_crc) {
  const uint64_t begin = payload_end_;
  for (Bytes piece : pieces) {
    payload_end_ += piece.size();
    if (piece.size() <= kCopyBytesMax) {
      std::memcpy(buffer_.data() + buffer_end_, piece.data(), piece.size());
      buffer_end_ += piece.size();
    } else {
      CloseRun();
      spans_.push_back(piece);
    }
  }
  const uint64_t length = payload_end_ - begin;
  const Segment& segment = *target_.segment;
  return {
      .segment = target_.segment,
      .offset = begin,
      .length = static_cast<uint32_t>(length),
      .checksum = BindChecksum(PlaceCrc(segment.uuid(), segment.id(), begin), data_crc, length)};
}

void FrameWriter::AddEntry(Bytes key, EntryKind kind, uint64_t revision,
                           absl::Span<const StoredExtent> extents) {
  extents_.clear();
  for (const StoredExtent& extent : extents) {
    extents_.push_back({.segment = extent.segment->id(),
                        .offset = extent.offset,
                        .length = extent.length,
                        .checksum = extent.checksum});
  }
  entries_end_ +=
      EncodeEntry(key, kind, revision, extents_, absl::MakeSpan(buffer_).subspan(entries_end_));
  ++entries_added_;
}

const FrameHeader& FrameWriter::Finish() {
  PURE_CHECK(entries_added_ == header_.entry_count &&
                 entries_end_ == kFrameHeaderBytes + header_.entries_bytes &&
                 payload_end_ == header_.payload_offset() + header_.payload_bytes,
             "a frame holds what its size counted");
  header_.entries_crc = Crc(Bytes(buffer_.data() + kFrameHeaderBytes, header_.entries_bytes));
  EncodeFrameHeader(&header_, absl::MakeSpan(buffer_).first(kFrameHeaderBytes));
  const size_t tail = header_.offset + header_.frame_bytes - payload_end_;
  MutableBytes room = absl::MakeSpan(buffer_).subspan(buffer_end_, tail);
  if (!Planted(Bug::kDirtyPadding)) std::memset(room.data(), 0, room.size());
  EncodeFrameFooter(header_, room.first(kFrameFooterBytes));
  buffer_end_ += tail;
  CloseRun();
  return header_;
}

}  // namespace pure::store
