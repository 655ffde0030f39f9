#pragma once

// The process's limit of open descriptors. Distributions start processes with a soft limit of 1024,
// for the sake of programs that use select; a server wants what it is allowed.

#include <cstdint>

#include "absl/status/statusor.h"

namespace pure {

// Raises the soft limit (RLIMIT_NOFILE) to the hard one; gives the limit that holds now. Call it
// once, before threads start.
absl::StatusOr<uint64_t> RaiseDescriptorLimit();

}  // namespace pure
