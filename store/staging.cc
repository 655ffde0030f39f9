#include "store/staging.h"

#include "runtime/check.h"

namespace pure::store {

Result Staging::Add(Bytes key, uint64_t base_revision, EntryKind kind, const ValueParts& value) {
  PURE_CHECK(!key.empty() && key.size() <= kKeyBytesMax, "a store key has 1 to 255 octets");
  if (value.new_bytes() > payload_bytes_left()) return Result::kLimit;
  if (entries_.size() == kFrameEntriesMax) return Result::kLimit;
  entries_.push_back({.base_revision = base_revision,
                      .key_begin = keys_.size(),
                      .parts_begin = parts_.size(),
                      .parts_count = static_cast<uint32_t>(value.parts().size()),
                      .key_bytes = static_cast<uint8_t>(key.size()),
                      .kind = kind});
  keys_.insert(keys_.end(), key.begin(), key.end());
  for (StagedPart part : value.parts()) {
    part.pieces_begin += pieces_.size();
    parts_.push_back(part);
  }
  pieces_.insert(pieces_.end(), value.pieces().begin(), value.pieces().end());
  payload_bytes_ += value.new_bytes();
  return Result::kOk;
}

Result Staging::AddMove(Bytes key, uint64_t revision, EntryKind kind, const ValueParts& value) {
  const Result result = Add(key, revision, kind, value);
  if (result == Result::kOk) entries_.back().moves = true;
  return result;
}

void Staging::Clear() {
  entries_.clear();
  keys_.clear();
  parts_.clear();
  pieces_.clear();
  payload_bytes_ = 0;
}

void Staging::Seal() { results_.assign(entries_.size(), Staged{}); }

}  // namespace pure::store
