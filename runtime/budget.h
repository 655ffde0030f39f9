#pragma once

// Budget: the payload bytes that one runtime may retain. A charge either fits whole or changes
// nothing. Spare bytes are charged too, as what is kept to be used again, but they make room for
// any other charge. Thread: its runtime's.

#include <algorithm>
#include <cstddef>

#include "runtime/check.h"

namespace pure {

// Somebody who keeps spare bytes.
class Reclaimer {
 public:
  virtual ~Reclaimer() = default;
  // Gives back all that it charged with ChargeSpare, before it returns.
  virtual void Reclaim() = 0;
};

class Budget {
 public:
  explicit Budget(size_t limit_bytes) : limit_bytes_(limit_bytes) {}

  // False: it would pass the limit; nothing is charged.
  [[nodiscard]] bool Charge(size_t bytes) {
    if (bytes > available_bytes()) return false;
    if (bytes > available_bytes() - spare_bytes_) reclaimer_->Reclaim();
    Add(bytes);
    return true;
  }

  // REQUIRES: bytes were charged and not refunded.
  void Refund(size_t bytes) {
    PURE_CHECK(bytes <= retained_bytes_ - spare_bytes_, "more is refunded than was charged");
    retained_bytes_ -= bytes;
  }

  // Who charges spare bytes. Borrowed.
  void SetReclaimer(Reclaimer* reclaimer) { reclaimer_ = reclaimer; }
  // As Charge, but never at the cost of other spare bytes. REQUIRES: there is a reclaimer.
  [[nodiscard]] bool ChargeSpare(size_t bytes) {
    PURE_CHECK(reclaimer_ != nullptr, "nobody would give spare bytes back");
    if (bytes > available_bytes() - spare_bytes_) return false;
    spare_bytes_ += bytes;
    Add(bytes);
    return true;
  }
  void RefundSpare(size_t bytes) {
    PURE_CHECK(bytes <= spare_bytes_, "more spare bytes are refunded than were charged");
    spare_bytes_ -= bytes;
    retained_bytes_ -= bytes;
  }

  size_t limit_bytes() const { return limit_bytes_; }
  size_t retained_bytes() const { return retained_bytes_; }  // spare ones among them
  size_t retained_bytes_peak() const { return retained_bytes_peak_; }
  // What Charge would take.
  size_t available_bytes() const { return limit_bytes_ - (retained_bytes_ - spare_bytes_); }

 private:
  void Add(size_t bytes) {
    retained_bytes_ += bytes;
    retained_bytes_peak_ = std::max(retained_bytes_peak_, retained_bytes_);
  }

  const size_t limit_bytes_;
  size_t retained_bytes_ = 0;
  size_t spare_bytes_ = 0;  // of them
  size_t retained_bytes_peak_ = 0;
  Reclaimer* reclaimer_ = nullptr;
};

}  // namespace pure
