#pragma once

// Carrying: whether the states that one module wrote can go on under another. A state is carried
// when it has the same name and the same type, or a wider one: larger bounds, more cases at the
// end, what may be absent where it had to be there. Anything else would lose something.

#include "absl/status/status.h"
#include "modules/module.h"

namespace pure::modules {

// FailedPrecondition: names each state that is not carried, and why.
absl::Status CheckCarried(const Module& old_module, const Module& module);

}  // namespace pure::modules
