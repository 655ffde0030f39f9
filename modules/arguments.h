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

// kOk: the parameter registers are filled; they borrow `body` and the arena.
// kType: *parameter says which one is wrong or missing, or is the number of parameters for a field
// that is none of them, or a payload that is no form. kLimit: a raw payload over its parameter's
// bound, or the arena is at its limit. kAllocation.
Result FillArguments(const Plan& plan, const PlanMessage& message, Bytes body,
                     BodyEncoding encoding, Arena* arena, Machine* machine, uint16_t* parameter);

}  // namespace pure::modules
