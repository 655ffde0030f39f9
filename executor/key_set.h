#pragma once

// KeySet: the keys that a burst wrote, by a 32-bit hash. It may say yes to a key that is not there,
// never no to one that is: a burst then ends early, which changes no answer. Clearing is O(1), so
// many small bursts cost no more than one.
//
// Thread: its executor's. Cost: no allocation after construction; O(1) expected.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/key.h"

namespace pure::executor {

class KeySet {
 public:
  // REQUIRES: no more than keys_max keys are inserted between two calls of Clear.
  explicit KeySet(size_t keys_max);

  bool MayContain(const Key& key) const;
  void Insert(const Key& key);
  void Clear();

 private:
  struct Place {
    uint32_t burst = 0;  // filled when equal to burst_
    uint32_t hash = 0;
  };
  size_t PlaceOf(uint32_t hash) const;

  std::vector<Place> places_;  // open addressing; a power of two, at most half full
  uint32_t burst_ = 1;
};

}  // namespace pure::executor
