#pragma once

// CountingWaker: a waker that only counts. Thread: any.

#include <atomic>
#include <cstdint>

#include "runtime/port.h"

namespace pure::testing {

class CountingWaker final : public Waker {
 public:
  void Wake() override { wakes_.fetch_add(1, std::memory_order_release); }

  uint64_t wakes() const { return wakes_.load(std::memory_order_acquire); }

 private:
  std::atomic<uint64_t> wakes_{0};
};

}  // namespace pure::testing
