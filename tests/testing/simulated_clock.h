#pragma once

// SimulatedClock: a clock that stands still until a test moves it.
// Thread: any; the hands are atomic, so that a test can move them while other threads look.

#include <atomic>
#include <cstdint>

#include "runtime/port.h"

namespace pure::testing {

class SimulatedClock final : public Clock {
 public:
  // The monotonic hand starts at `monotonic_ns`, the wall hand at 2020-01-01 00:00:00 UTC.
  explicit SimulatedClock(int64_t monotonic_ns = 1'000'000'000) : monotonic_ns_(monotonic_ns) {}

  int64_t MonotonicNs() override { return monotonic_ns_.load(std::memory_order_relaxed); }
  int64_t WallMs() override {
    return wall_offset_ms_.load(std::memory_order_relaxed) + MonotonicNs() / 1'000'000;
  }

  // Time passes on both hands. REQUIRES: ns >= 0.
  void AdvanceNs(int64_t ns) { monotonic_ns_.fetch_add(ns, std::memory_order_relaxed); }
  void AdvanceMs(int64_t ms) { AdvanceNs(ms * 1'000'000); }

  // Somebody sets the wall clock; monotonic time does not notice.
  void JumpWallMs(int64_t ms) { wall_offset_ms_.fetch_add(ms, std::memory_order_relaxed); }

 private:
  static constexpr int64_t kStartWallMs = 1'577'836'800'000;  // 2020-01-01 00:00:00 UTC

  std::atomic<int64_t> monotonic_ns_;
  std::atomic<int64_t> wall_offset_ms_{kStartWallMs - monotonic_ns_.load() / 1'000'000};
};

}  // namespace pure::testing
