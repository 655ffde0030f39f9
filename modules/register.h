#pragma once

// Register: a value while a handler runs.

#include <cstdint>

#include "modules/octets.h"
#include "modules/rows/rows.h"

namespace pure::modules {

struct Register {
  bool present = true;  // false: none
  int64_t number = 0;   // a number, a truth (0, 1), a case, a time
  // A text or bytes; a record as one row; a collection as one block, but when `rows` is set it is
  // that.
  Octets octets;
  const Rows* rows = nullptr;
};

}  // namespace pure::modules
