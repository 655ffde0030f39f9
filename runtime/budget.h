#pragma once

// Budget: the payload bytes that one runtime may retain. A charge either fits whole or changes
// nothing. Thread: its runtime's.

#include <algorithm>
#include <cstddef>

#include "runtime/check.h"

namespace pure {

class Budget {
 public:
  explicit Budget(size_t limit_bytes) : limit_bytes_(limit_bytes) {}

  // False: it would pass the limit; nothing is charged.
  [[nodiscard]] bool Charge(size_t bytes) {
    if (bytes > available_bytes()) return false;
    retained_bytes_ += bytes;
    retained_bytes_peak_ = std::max(retained_bytes_peak_, retained_bytes_);
    return true;
  }

  // REQUIRES: bytes were charged and not refunded.
  void Refund(size_t bytes) {
    PURE_CHECK(bytes <= retained_bytes_, "more is refunded than was charged");
    retained_bytes_ -= bytes;
  }

  size_t limit_bytes() const { return limit_bytes_; }
  size_t retained_bytes() const { return retained_bytes_; }
  size_t retained_bytes_peak() const { return retained_bytes_peak_; }
  size_t available_bytes() const { return limit_bytes_ - retained_bytes_; }

 private:
  const size_t limit_bytes_;
  size_t retained_bytes_ = 0;
  size_t retained_bytes_peak_ = 0;
};

}  // namespace pure
