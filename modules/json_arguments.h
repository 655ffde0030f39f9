#pragma once

// JsonArguments: arguments from one JSON object (RFC 8259), a member for each parameter: texts,
// slugs and bytes as strings, numbers, times and spans as whole numbers, truths, cases as strings;
// null, like a member that is not there, is `none`.
//
// Thread: any; no state. Lifetime: the registers point into the arena. Cost: linear in the body; no
// memory but the arena's, up to 16 octets for each value in it.

#include <cstdint>

#include "modules/arena.h"
#include "modules/machine.h"
#include "modules/plan.h"
#include "runtime/bytes.h"
#include "runtime/result.h"

namespace pure::modules {

// As FillArguments (arguments.h).
Result FillFromJson(const Plan& plan, const PlanHandler& handler, Bytes body, Arena* arena,
                    Machine* machine, uint16_t* parameter);

}  // namespace pure::modules
