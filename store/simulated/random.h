#pragma once

// Random: the small generator (SplitMix64) behind every choice of the simulated disk. The same seed
// gives the same choices on every machine and with every library version, so that a seed replays.

#include <cstdint>

namespace pure::store {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // In [0, limit). REQUIRES: limit > 0. The slight bias of the remainder does not matter here.
  uint64_t Below(uint64_t limit) { return Next() % limit; }

 private:
  uint64_t state_;
};

}  // namespace pure::store
