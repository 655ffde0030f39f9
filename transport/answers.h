#pragma once

// The status line of each result: one table for every answer that an app's request can get.

#include <cstdint>

#include "runtime/bytes.h"
#include "runtime/result.h"

namespace pure::transport {

struct StatusLine {
  uint16_t status = 200;
  bool retry_after = false;
};

// Of a result that is not a fault (a fault has a status of its own).
StatusLine StatusOf(Result result);

}  // namespace pure::transport
