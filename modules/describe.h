#pragma once

// Describes a plan as the one line of JSON that `pure check` prints.

#include <cstddef>
#include <string>

#include "modules/plan.h"

namespace pure::modules {

std::string Describe(const Plan& plan, size_t tests_run, size_t tests_failed);

}  // namespace pure::modules
