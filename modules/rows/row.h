#pragma once

// Row: one record of some fields as flat octets, the same on every machine; and Block: rows one
// behind the other, which is also how a field holds a collection.
//
// A row: a u64 with a bit for each field that is present; then 8 octets a field: its number, or,
// for octets, u32 where they are in the row and u32 how many; then the octets. A block: u32 count,
// u32 where each row begins and, one more, where the last one ends, counted from the block's start;
// then the rows. All numbers are little-endian.
//
// Thread: any; no state. Cost: reading a field is a few instructions. Lifetime: views borrow.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "runtime/bytes.h"

namespace pure::modules {

inline constexpr size_t kRowFieldsMax = 64;

// What a row is made of. Octets come in pieces.
struct Field {
  bool present = true;
  bool is_octets = false;
  int64_t number = 0;
  absl::Span<const Bytes> pieces = {};
  size_t size_bytes = 0;  // of the pieces together
};

size_t RowBytes(absl::Span<const Field> fields);
// Writes RowBytes(fields) octets; returns where they end. REQUIRES: fewer than 2^32; at most
// kRowFieldsMax fields.
char* EncodeRow(absl::Span<const Field> fields, char* out);

class RowView {
 public:
  // REQUIRES: a row (IsRow).
  explicit RowView(Bytes row) : row_(row) {}

  bool present(size_t field) const;
  int64_t number(size_t field) const;
  Bytes octets(size_t field) const;

 private:
  const char* slot(size_t field) const { return row_.data() + 8 * (1 + field); }

  const Bytes row_;
};

// Whether these octets are a row with such fields, so that no view of it leaves it.
bool IsRow(Bytes row, const std::vector<bool>& octets);

class BlockView {
 public:
  // REQUIRES: a block (IsBlock).
  explicit BlockView(Bytes block) : block_(block) {}

  size_t size() const;
  Bytes row(size_t i) const;

 private:
  const Bytes block_;
};

// Whether these octets are a block. What its rows are is not looked at.
bool IsBlock(Bytes block);

size_t BlockBytes(absl::Span<const Bytes> rows);
// As EncodeRow.
char* EncodeBlock(absl::Span<const Bytes> rows, char* out);

}  // namespace pure::modules
