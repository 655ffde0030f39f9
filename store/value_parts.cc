#include "store/value_parts.h"

#include <algorithm>
#include <bit>

#include "runtime/check.h"
#include "store/format.h"

namespace pure::store {
namespace {

constexpr uint64_t kLeastExtentBytes = 256u << 10;
// At most, of a large value that is written at once. One that grows by appends gets half as many
// each time that it doubles: 256 at 1 GiB, whose entry is 8 KiB.
constexpr uint64_t kExtentsOfLargeValue = 64;
constexpr uint64_t kMostExtentBytes = 1u << 30;

}  // namespace

uint64_t ValueParts::ExtentBytesMax(uint64_t value_bytes) {
  const uint64_t even = std::bit_ceil(value_bytes / kExtentsOfLargeValue);
  return std::clamp(even, kLeastExtentBytes, kMostExtentBytes);
}

void ValueParts::Begin(uint64_t extent_bytes_max) {
  extent_bytes_max_ = extent_bytes_max;
  size_bytes_ = 0;
  new_bytes_ = 0;
  parts_.clear();
  pieces_.clear();
}

// A new part that takes at least one more byte, or, with `apart`, all of them alone.
StagedPart* ValueParts::PartFor(uint64_t bytes, bool apart) {
  const bool goes_on = !apart && !parts_.empty() && !parts_.back().is_stored() &&
                       parts_.back().length + bytes <= extent_bytes_max_;
  if (!goes_on) parts_.push_back({.pieces_begin = pieces_.size()});
  return &parts_.back();
}

void ValueParts::AddNew(Bytes piece) {
  while (!piece.empty()) {
    const StagedPart& open = *PartFor(1, false);
    const Bytes head = piece.substr(0, extent_bytes_max_ - open.length);
    AddNew(head, Crc(head), false);
    piece.remove_prefix(head.size());
  }
}

void ValueParts::AddNew(Bytes piece, uint32_t data_crc, bool apart) {
  if (piece.empty()) return;
  StagedPart* const part = PartFor(piece.size(), apart);
  part->data_crc = part->length == 0 ? data_crc : ConcatCrc(part->data_crc, data_crc, piece.size());
  part->length += static_cast<uint32_t>(piece.size());
  ++part->pieces_count;
  pieces_.push_back(piece);
  size_bytes_ += piece.size();
  new_bytes_ += piece.size();
}

void ValueParts::AddStored(const StoredExtent& extent, Bytes bytes, uint32_t data_crc) {
  parts_.push_back({.stored = extent,
                    .pieces_begin = pieces_.size(),
                    .pieces_count = 1,
                    .length = extent.length,
                    .data_crc = data_crc});
  pieces_.push_back(bytes);
  size_bytes_ += extent.length;
}

void ValueParts::RemoveLastStored() {
  PURE_CHECK(!parts_.empty() && parts_.back().is_stored(), "the last part is a stored one");
  size_bytes_ -= parts_.back().length;
  parts_.pop_back();
  pieces_.pop_back();
}

}  // namespace pure::store
