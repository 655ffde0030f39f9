#pragma once

// LinuxClock: the kernel's clocks. Thread: any. Cost: a read of shared memory, no system call
// (vDSO).

#include <cstdint>

#include "runtime/port.h"

namespace pure {

class LinuxClock final : public Clock {
 public:
  int64_t MonotonicNs() override;  // CLOCK_MONOTONIC: stands still while the machine sleeps
  int64_t WallMs() override;       // CLOCK_REALTIME
};

}  // namespace pure
