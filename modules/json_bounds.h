#pragma once

// JsonBounds: how long a value becomes as JSON (value_json.h).

#include <cstdint>

#include "modules/types.h"

namespace pure::modules {

// Of any value of the type, in bytes; 2^62 when it is more.
int64_t JsonBytesMax(const Type& type, const Shapes& shapes);

}  // namespace pure::modules
