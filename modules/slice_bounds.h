#pragma once

// The size of value[from..to], by interval arithmetic, and whether there can be such a range.

#include <cstdint>

#include "modules/types.h"

namespace pure::modules {

struct SliceBounds {
  int64_t low = 0;      // least size, bytes
  int64_t high = 0;     // greatest size
  bool never = false;   // no range is inside its value
  bool always = false;  // each is, and in the order from, to
};

// `from` and `to`: of the offsets; null where the range is open. REQUIRES: value.is_octets().
SliceBounds BoundsOfSlice(const Type& value, const Type* from, const Type* to);

}  // namespace pure::modules
