#pragma once

// Rendering: answers that a message makes, as memory that returns itself.
//
// Cost: one allocation an answer. Lifetime: the resource owns its octets.

#include <cstdint>

#include "modules/arena.h"
#include "modules/octets.h"
#include "runtime/bytes.h"
#include "runtime/resource.h"
#include "runtime/result.h"

namespace pure::modules {

// Each gives kOk and the rendering, kLimit (larger than kAnswerBytesMax) or kAllocation.
Result RenderOctets(const Octets& octets, Resource* rendering);
Result RenderInt(int64_t number, Resource* rendering);
Result RenderJsonText(Bytes text, Resource* rendering);

}  // namespace pure::modules
