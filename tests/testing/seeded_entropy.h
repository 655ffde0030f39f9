#pragma once

// SeededEntropy: the same numbers for the same seed, on every machine (splitmix64: Steele, Lea and
// Flood, "Fast Splittable Pseudorandom Number Generators", 2014). Thread: one thread's.

#include <cstdint>

#include "runtime/port.h"

namespace pure::testing {

class SeededEntropy final : public Entropy {
 public:
  explicit SeededEntropy(uint64_t seed) : state_(seed) {}

  uint64_t Next() override {
    state_ += 0x9E3779B97F4A7C15u;
    uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
    return mixed ^ (mixed >> 31);
  }

  // 0 to bound - 1. Not quite even for huge bounds, which no test minds. REQUIRES: bound > 0.
  uint64_t Below(uint64_t bound) { return Next() % bound; }
  // True once in `n` on average. REQUIRES: n > 0.
  bool OneIn(uint64_t n) { return Below(n) == 0; }

 private:
  uint64_t state_;
};

}  // namespace pure::testing
