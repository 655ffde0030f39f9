#pragma once

// Carrying: whether what one module wrote can go on under another. A state is carried when it has
// the same name and the same type, or a wider one: larger bounds, more cases at the end, what may
// be absent where it had to be there. So are documents, by the type of their keys and of their
// values; a text may become bytes, which lie in the store as it does. Anything else would lose
// something.

#include "absl/status/status.h"
#include "modules/module.h"

namespace pure::modules {

// FailedPrecondition: names all that is not carried, and why. `any_documents`: the store has one.
absl::Status CheckCarried(const Module& old_module, bool any_documents, const Module& module);

}  // namespace pure::modules
