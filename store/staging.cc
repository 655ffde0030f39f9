#include "store/staging.h"

#include "runtime/check.h"

namespace pure::store {

Result Staging::Add(Bytes key, uint64_t base_revision, EntryKind kind,
                    absl::Span<const Bytes> pieces) {
  PURE_CHECK(!key.empty() && key.size() <= kKeyBytesMax, "a store key has 1 to 255 octets");
  size_t size = 0;
  for (Bytes piece : pieces) {
    if (piece.size() > payload_bytes_left() - size) return Result::kLimit;
    size += piece.size();
  }
  if (entries_.size() == kFrameEntriesMax) return Result::kLimit;
  StagedEntry entry{.base_revision = base_revision,
                    .key_begin = keys_.size(),
                    .pieces_begin = pieces_.size(),
                    .size_bytes = static_cast<uint32_t>(size),
                    .key_bytes = static_cast<uint8_t>(key.size()),
                    .kind = kind};
  keys_.insert(keys_.end(), key.begin(), key.end());
  for (Bytes piece : pieces) {
    if (!piece.empty()) pieces_.push_back(piece);
  }
  entry.pieces_count = static_cast<uint32_t>(pieces_.size() - entry.pieces_begin);
  entries_.push_back(entry);
  payload_bytes_ += size;
  return Result::kOk;
}

void Staging::Clear() {
  entries_.clear();
  keys_.clear();
  pieces_.clear();
  payload_bytes_ = 0;
}

void Staging::Seal() {
  results_.assign(entries_.size(), Staged{});
  for (StagedEntry& entry : entries_) {
    uint32_t crc = 0;
    for (Bytes piece : pieces(entry)) crc = ExtendCrc(crc, piece);
    entry.data_crc = crc;
  }
}

}  // namespace pure::store
