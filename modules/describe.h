#pragma once

// Describes a plan as the one line of JSON that `pure check` prints.

#include <string>

#include "modules/plan.h"

namespace pure::modules {

std::string Describe(const Plan& plan);

}  // namespace pure::modules
