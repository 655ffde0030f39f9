#pragma once

// ValueParts: what a staged value is made of, as it will lie on the disk: parts that become one
// extent each, either bytes that are stored already or new ones.
//
// Thread: one thread's. Lifetime: borrows the bytes. Cost: no allocation once its arrays have
// grown.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/types/span.h"
#include "runtime/bytes.h"
#include "store/stored_extent.h"

namespace pure::store {

struct StagedPart {
  StoredExtent stored;  // where the bytes lie already; segment null: they are new
  size_t pieces_begin = 0;
  uint32_t pieces_count = 0;  // the bytes in memory
  uint32_t length = 0;
  uint32_t data_crc = 0;  // of the bytes alone

  bool is_stored() const { return stored.segment != nullptr; }
};

class ValueParts {
 public:
  // The length of one extent of new bytes, at most: short enough that a cut of it is checked
  // quickly, long enough that the list of a large value's extents stays short.
  static uint64_t ExtentBytesMax(uint64_t value_bytes);

  void Begin(uint64_t extent_bytes_max);
  // New bytes; they go on in the last part while that is new and has room.
  void AddNew(Bytes piece);
  // The same with the CRC known, never split. They go on as above unless `apart`.
  void AddNew(Bytes piece, uint32_t data_crc, bool apart);
  // Stored bytes, and where they are mapped.
  void AddStored(const StoredExtent& extent, Bytes bytes, uint32_t data_crc);
  // Takes the last part back. REQUIRES: it was added by AddStored.
  void RemoveLastStored();

  absl::Span<const StagedPart> parts() const ABSL_ATTRIBUTE_LIFETIME_BOUND { return parts_; }
  absl::Span<const Bytes> pieces() const ABSL_ATTRIBUTE_LIFETIME_BOUND { return pieces_; }
  uint64_t size_bytes() const { return size_bytes_; }
  uint64_t new_bytes() const { return new_bytes_; }

 private:
  StagedPart* PartFor(uint64_t bytes, bool apart);

  uint64_t extent_bytes_max_ = 0;
  uint64_t size_bytes_ = 0;
  uint64_t new_bytes_ = 0;
  std::vector<StagedPart> parts_;
  std::vector<Bytes> pieces_;
};

}  // namespace pure::store
