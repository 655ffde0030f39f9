#pragma once

// ValueJson: values as JSON: records as objects with their fields in order, lists, rings and sets
// as arrays, maps as objects when their keys are texts or cases and else as arrays of pairs, what
// is absent as null. Times and spans are milliseconds.

#include <string>

#include "modules/register.h"
#include "modules/types.h"

namespace pure::modules {

// Appends the value that a register holds.
void AppendJson(const Register& value, const Type& type, const Shapes& shapes, std::string* out);

}  // namespace pure::modules
