#pragma once

// Lends parts of a lent value, and a value to two users.
//
// Lifetime: what is lent holds the value until it is returned; the value goes back with the last of
// its users. Thread: a user may be returned on any thread. Cost: one allocation.

#include "absl/types/span.h"
#include "runtime/bytes.h"
#include "runtime/resource.h"

namespace pure::modules {

// Lends `parts`, which lie in *value; their array is copied. With `keep`, *value stays as it was,
// and without it *value is empty afterwards. False: no memory; *value is as it was.
bool LendParts(absl::Span<const Bytes> parts, bool keep, Resource* value, Resource* lent);

}  // namespace pure::modules
