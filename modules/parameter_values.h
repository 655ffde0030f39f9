#pragma once

// ParameterValues: whether a value that came with a request is one of its parameter's type,
// whatever form it came in.
//
// Thread: any; no state. Each gives false when it is not, and fills the register when it is.

#include <cstdint>

#include "modules/machine.h"
#include "modules/plan.h"
#include "modules/register.h"
#include "modules/types.h"
#include "runtime/bytes.h"
#include "runtime/result.h"

namespace pure::modules {

// The octets are `*piece`, which is borrowed.
bool SetOctets(const Type& type, const Bytes* piece, Register* target);
bool SetNumber(const Type& type, int64_t number, Register* target);
bool SetCase(const Plan& plan, const Type& type, Bytes name, Register* target);

// Parameters whose bit is not in `seen` are absent. kType: *parameter may not be.
Result FillAbsent(const PlanHandler& handler, uint64_t seen, Machine* machine, uint16_t* parameter);

}  // namespace pure::modules
