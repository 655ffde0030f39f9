#include "modules/clause.h"

#include <algorithm>
#include <functional>

namespace pure::modules {

void Clause::Start(size_t size) {
  position_ = 0;
  size_ = size;
  next_ = 0;
  skip_ = 0;
  take_ = kAll;
  in_order_ = false;
  sorted_.clear();
  marks_.clear();
}

void Clause::Begin(const Rows& rows) {
  Start(rows.size());
  rows_ = &rows;
  block_ = {};
}

void Clause::Begin(Bytes block) {
  Start(BlockView(block).size());
  rows_ = nullptr;
  block_ = block;
}

bool Clause::Next() {
  if (in_order_) {
    if (next_ == sorted_.size()) return false;
    row_ = sorted_[next_].row;
    index_ = sorted_[next_].index;
    ++next_;
    return true;
  }
  if (next_ == size_) return false;
  index_ = next_++;
  if (rows_ != nullptr && (block_.empty() || position_ == BlockView(block_).size())) {
    rows_->ChunkAt(index_, &block_, &position_);
  }
  row_ = BlockView(block_).row(position_++);
  return true;
}

void Clause::Sort(bool down) {
  const auto before = [](const Sorted& a, const Sorted& b) {
    return a.number != b.number ? a.number < b.number : a.octets < b.octets;
  };
  if (down) {
    std::stable_sort(sorted_.begin(), sorted_.end(),
                     [&before](const Sorted& a, const Sorted& b) { return before(b, a); });
  } else {
    std::stable_sort(sorted_.begin(), sorted_.end(), before);
  }
  in_order_ = true;
  next_ = 0;
}

const std::vector<size_t>& Clause::SortedMarks() {
  std::sort(marks_.begin(), marks_.end(), std::greater<>());
  return marks_;
}

}  // namespace pure::modules
