#pragma once

// Staging: the writes of one handle that wait for their save, in the order of staging.
//
// Thread: its handle's; while a commit runs, the committing thread's. Lifetime: copies keys;
// borrows the pieces' bytes, and the segments of stored parts, until Clear. Cost: no allocation
// once its arrays have grown to the largest save.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/types/span.h"
#include "runtime/bytes.h"
#include "runtime/result.h"
#include "store/format.h"
#include "store/store.h"
#include "store/value_parts.h"

namespace pure::store {

class IndexRecord;

struct StagedEntry {
  uint64_t base_revision = 0;
  size_t key_begin = 0;    // in the staging's keys
  size_t parts_begin = 0;  // in the staging's parts
  uint32_t parts_count = 0;
  uint8_t key_bytes = 0;
  EntryKind kind = EntryKind::kWrite;
  bool moves = false;             // the same value in other places: the revision stays
  IndexRecord* record = nullptr;  // while a save runs: its version, or null when it lost

  uint64_t revision() const { return base_revision + (moves ? 0 : 1); }
};

class Staging {
 public:
  // `payload_bytes_max`: of all staged values together; at most kExtentBytesMax.
  explicit Staging(size_t payload_bytes_max) : payload_bytes_max_(payload_bytes_max) {}

  // kLimit: the new bytes, or the number of entries, do not fit any more.
  // REQUIRES: 1 <= key.size() <= kKeyBytesMax.
  Result Add(Bytes key, uint64_t base_revision, EntryKind kind, const ValueParts& value);
  // The same for a value, or the lack of one, that moves and stays what it is.
  Result AddMove(Bytes key, uint64_t revision, EntryKind kind, const ValueParts& value);
  // Forgets the entries; the results stay.
  void Clear();

  // Makes room for the results: before a save.
  void Seal();

  bool empty() const { return entries_.empty(); }
  size_t payload_bytes() const { return payload_bytes_; }
  size_t payload_bytes_left() const { return payload_bytes_max_ - payload_bytes_; }
  absl::Span<StagedEntry> entries() ABSL_ATTRIBUTE_LIFETIME_BOUND {
    return absl::MakeSpan(entries_);
  }
  Bytes key(const StagedEntry& entry) const ABSL_ATTRIBUTE_LIFETIME_BOUND {
    return Bytes(keys_.data() + entry.key_begin, entry.key_bytes);
  }
  absl::Span<const StagedPart> parts(const StagedEntry& entry) const ABSL_ATTRIBUTE_LIFETIME_BOUND {
    return absl::MakeConstSpan(parts_).subspan(entry.parts_begin, entry.parts_count);
  }
  absl::Span<StagedPart> parts(const StagedEntry& entry) ABSL_ATTRIBUTE_LIFETIME_BOUND {
    return absl::MakeSpan(parts_).subspan(entry.parts_begin, entry.parts_count);
  }
  absl::Span<const Bytes> pieces(const StagedPart& part) const ABSL_ATTRIBUTE_LIFETIME_BOUND {
    return absl::MakeConstSpan(pieces_).subspan(part.pieces_begin, part.pieces_count);
  }
  // One for each entry since Seal.
  absl::Span<Staged> results() ABSL_ATTRIBUTE_LIFETIME_BOUND { return absl::MakeSpan(results_); }
  absl::Span<const Staged> results() const ABSL_ATTRIBUTE_LIFETIME_BOUND { return results_; }

 private:
  const size_t payload_bytes_max_;
  size_t payload_bytes_ = 0;
  std::vector<StagedEntry> entries_;
  std::vector<char> keys_;
  std::vector<StagedPart> parts_;
  std::vector<Bytes> pieces_;
  std::vector<Staged> results_;
};

}  // namespace pure::store
