#pragma once

// The stores of this machine, as the commands open and copy them.

#include "absl/status/statusor.h"
#include "platforms/server/program.h"
#include "platforms/server/progress.h"
#include "runtime/port.h"

namespace pure::server {

// Program::open_store and Program::copy_store, over directories of files. The store borrows
// `entropy` and `clock`.
absl::StatusOr<OpenedStore> OpenLocalStore(const StoreRequest& request, Entropy* entropy,
                                           Clock* clock, const Terminal& terminal);
absl::StatusOr<CopiedStore> CopyLocalStore(const CopyRequest& request,
                                           const ProgressFunction& progress);

}  // namespace pure::server
