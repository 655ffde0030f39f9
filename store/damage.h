#pragma once

// Damage: a stored byte that is not what it was. Plain data.

#include <cstdint>
#include <string>

namespace pure::store {

struct Damage {
  std::string key;  // of the value with the bad byte; empty: it lies in no value
  uint64_t revision = 0;
  uint64_t segment = 0;
  uint64_t offset = 0;  // of the extent, or of the frame, with the bad byte
  std::string what;
};

}  // namespace pure::store
