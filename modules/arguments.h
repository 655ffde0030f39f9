#pragma once

// Arguments: fills a message's parameters from a request's payload, checking every type and bound.

#include <cstdint>

#include "modules/arena.h"
#include "modules/info.h"
#include "modules/machine.h"
#include "modules/plan.h"
#include "runtime/bytes.h"
#include "runtime/result.h"

namespace pure::modules {

// What a handler is given: a request's payload, or, when `values` is set, values by parameter, as a
// test has them.
struct Arguments {
  Bytes body;
  BodyEncoding encoding = BodyEncoding::kRaw;
  const Register* values = nullptr;
};

// kOk: the parameter registers are filled; they borrow `body` and the arena.
// kType: *parameter says which one is wrong or missing, or is the number of parameters for a field
// that is none of them, or a payload that is no form. kLimit: a raw payload over its parameter's
// bound, or the arena is at its limit. kAllocation.
Result FillArguments(const Plan& plan, const PlanHandler& handler, const Arguments& arguments,
                     Arena* arena, Machine* machine, uint16_t* parameter);

}  // namespace pure::modules
