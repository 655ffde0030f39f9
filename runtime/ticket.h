#pragma once

// Ticket: names one accepted request of one runtime. A value that holds nothing: keeping one is
// free, and one that outlived its request is refused by its generation.

#include <cstdint>

namespace pure {

struct Ticket {
  uint32_t slot = 0;
  uint32_t generation = 0;  // 0 names no request

  explicit operator bool() const { return generation != 0; }
  friend bool operator==(Ticket a, Ticket b) {
    return a.slot == b.slot && a.generation == b.generation;
  }
};

}  // namespace pure
