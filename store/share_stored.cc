#include "store/share_stored.h"

#include <cstdint>
#include <functional>

#include "store/segment.h"

namespace pure::store {
namespace {

// A frame is at least one block long, so that this much costs no more than the list of extents.
constexpr size_t kCopiedBytesMax = 2048;

class Sharing {
 public:
  Sharing(absl::Span<const StoredExtent> lent, ValueParts* parts) : lent_(lent), parts_(*parts) {}

  Result Add(Bytes piece) {
    while (!piece.empty()) {
      const Bytes stored = LentBytesFrom(piece.data());
      if (stored.empty()) {
        AddNew(piece);
        return Result::kOk;
      }
      const Bytes head = piece.substr(0, stored.size());
      const Result result = AddStored(head, head.data() - LentBytes(at_).data());
      if (result != Result::kOk) return result;
      piece.remove_prefix(head.size());
    }
    return Result::kOk;
  }

 private:
  Bytes LentBytes(size_t i) const {
    return lent_[i].segment->bytes(lent_[i].offset, lent_[i].length);
  }

  // The rest of the lent extent, lent_[at_], that holds the byte at `data`; empty: none does.
  // Pieces come in order as a rule, so that the search begins where the last one ended.
  Bytes LentBytesFrom(const char* data) {
    for (size_t tried = 0; tried < lent_.size(); ++tried, at_ = (at_ + 1) % lent_.size()) {
      const Bytes bytes = LentBytes(at_);
      // std::less gives an order to pointers into different objects.
      if (std::less<>()(data, bytes.data()) || !std::less<>()(data, bytes.data() + bytes.size())) {
        continue;
      }
      return bytes.substr(static_cast<size_t>(data - bytes.data()));
    }
    return {};
  }

  void AddNew(Bytes piece) {
    if (last_is_short_) {
      const StagedPart last = parts_.parts().back();
      const Bytes bytes = parts_.pieces().back();
      parts_.RemoveLastStored();
      parts_.AddNew(bytes, last.data_crc, false);
    }
    parts_.AddNew(piece);
    last_is_short_ = false;
    last_is_new_ = true;
  }

  // `bytes` lie in lent_[at_], from its byte `begin` on.
  Result AddStored(Bytes bytes, ptrdiff_t begin) {
    StoredExtent extent = lent_[at_];
    Segment* const segment = extent.segment;
    uint32_t data_crc = 0;
    if (segment->CheckPart(extent.offset, extent.length, extent.checksum,
                           static_cast<uint64_t>(begin), bytes.size(),
                           &data_crc) != Segment::Check::kSound) {
      return Result::kStorage;
    }
    const bool is_short = bytes.size() <= kCopiedBytesMax;
    // It may be written again, and a frame with a bad extent would look like one that was cut off.
    if (is_short && bytes.size() == extent.length &&
        segment->CheckExtent(extent.offset, extent.length, extent.checksum) !=
            Segment::Check::kSound) {
      return Result::kStorage;
    }
    if (is_short && last_is_new_) {
      parts_.AddNew(bytes, data_crc, false);
      return Result::kOk;
    }
    if (bytes.size() < extent.length) {
      extent.offset += static_cast<uint64_t>(begin);
      extent.length = static_cast<uint32_t>(bytes.size());
      extent.checksum = BindChecksum(PlaceCrc(segment->uuid(), segment->id(), extent.offset),
                                     data_crc, extent.length);
    }
    parts_.AddStored(extent, bytes, data_crc);
    last_is_short_ = is_short;
    last_is_new_ = false;
    return Result::kOk;
  }

  const absl::Span<const StoredExtent> lent_;
  ValueParts& parts_;
  size_t at_ = 0;
  bool last_is_short_ = false;  // the last part is stored, and short
  bool last_is_new_ = false;
};

}  // namespace

Result ShareStored(absl::Span<const Bytes> pieces, absl::Span<const StoredExtent> lent,
                   ValueParts* parts) {
  uint64_t size_bytes = 0;
  for (Bytes piece : pieces) size_bytes += piece.size();
  parts->Begin(ValueParts::ExtentBytesMax(size_bytes));
  Sharing sharing(lent, parts);
  for (Bytes piece : pieces) {
    const Result result = sharing.Add(piece);
    if (result != Result::kOk) return result;
  }
  return Result::kOk;
}

}  // namespace pure::store
