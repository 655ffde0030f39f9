#pragma once

// LinuxEntropy: random bits of the kernel (getrandom), good enough for what clients must not guess.
// Thread: any. Cost: a system call each; ask seldom.

#include <cstdint>

#include "runtime/port.h"

namespace pure {

class LinuxEntropy final : public Entropy {
 public:
  // Waits, once after boot, until the kernel has gathered enough.
  uint64_t Next() override;
};

}  // namespace pure
