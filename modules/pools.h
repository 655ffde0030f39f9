#pragma once

// Pools: all constants of a plan while it is made.

#include <string>

#include "modules/plan.h"
#include "modules/pool.h"
#include "modules/types.h"

namespace pure::modules {

struct Pools {
  Pool<int64_t> numbers;
  Pool<std::string> texts;
  Pool<Layout> layouts;
  std::vector<Type> types;
};

}  // namespace pure::modules
