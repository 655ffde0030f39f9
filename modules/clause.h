#pragma once

// Clause: one that a machine is going around: where it is in its collection, in what order, and
// what it leaves out.
//
// Thread: its machine's. Lifetime: borrows the collection until it has ended.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "modules/rows/row.h"
#include "modules/rows/rows.h"
#include "runtime/bytes.h"

namespace pure::modules {

class Clause {
 public:
  static constexpr size_t kAll = std::numeric_limits<size_t>::max();

  void Begin(const Rows& rows);
  void Begin(Bytes block);
  void Limit(size_t skip, size_t take) {
    skip_ = skip;
    take_ = take;
  }

  // False: there is no next row. Else row() and index() are its.
  bool Next();
  Bytes row() const { return row_; }
  size_t index() const { return index_; }

  // Keeps the row at hand for Sort. The key's octets are borrowed until the end.
  void Collect(int64_t number, Bytes octets) { sorted_.push_back({number, octets, row_, index_}); }
  // From now on Next gives what was kept, in the order of the keys; those with equal keys stay in
  // theirs.
  void Sort(bool down);

  // The row at hand is skipped, or there have been enough.
  bool Skips() { return skip_ > 0 && skip_-- > 0; }
  bool HasEnough() { return take_ == 0 || (take_ != kAll && take_-- == 0); }

  void Mark() { marks_.push_back(index_); }
  // Descending.
  const std::vector<size_t>& SortedMarks();

 private:
  struct Sorted {
    int64_t number = 0;
    Bytes octets;
    Bytes row;
    size_t index = 0;
  };

  void Start(size_t size);

  const Rows* rows_ = nullptr;  // null: the block alone
  Bytes block_;                 // of the row at hand
  size_t position_ = 0;         // of the next row in it
  size_t size_ = 0;
  size_t next_ = 0;
  Bytes row_;
  size_t index_ = 0;
  size_t skip_ = 0;
  size_t take_ = kAll;
  bool in_order_ = false;  // of sorted_
  std::vector<Sorted> sorted_;
  std::vector<size_t> marks_;
};

}  // namespace pure::modules
