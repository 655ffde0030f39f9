#pragma once

// What a message does with the octets of the stored value, found in its instructions. It decides
// how the value is read: octets that nobody looks at need no checksum computed.

#include <cstdint>
#include <vector>

#include "modules/plan.h"

namespace pure::modules {

// The most that any path does. Cost: one pass; jumps go forward only, so what is known where they
// land is complete when the pass gets there.
ValueUse FindValueUse(const std::vector<Instruction>& code, uint16_t registers);

}  // namespace pure::modules
