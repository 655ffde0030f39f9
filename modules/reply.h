#pragma once

// Reply: what a message, an input or a view answered; and Moment: what an event is given besides
// its arguments.

#include <cstdint>

#include "runtime/bytes.h"
#include "runtime/resource.h"
#include "runtime/result.h"

namespace pure::modules {

// What a message answered.
struct Reply {
  Result result = Result::kOk;
  uint64_t revision = 0;  // of the document after the message (kConflict: the current one); 0: none
  uint16_t detail =
      0;  // kFault: index into Module::faults(); kType: index of the parameter of the message
  bool wrote = false;         // something was staged; the answer is due only after the commit
  uint32_t staged_index = 0;  // which of the handle's staged writes it was
  Resource body;        // of a kOk: lent extents or a rendered value; may be empty. Outlives Settle
  Bytes content_type;   // of the body; lives with the module. Empty: application/octet-stream
  uint64_t commit = 0;  // of an input or view: the states that it saw or made
  Resource location;    // where the client is to go on; empty: nowhere. Outlives Settle
};

// What an input is given besides its arguments, fixed when it is taken.
struct Moment {
  int64_t now_ms = 0;  // since 1970, UTC; never back from one event to the next
  int64_t random = 0;  // any 64 bits
};

}  // namespace pure::modules
