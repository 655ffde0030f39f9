#pragma once

// StateDump: the states that a store keeps, as JSON in the types of their module.
//
// Thread: any, with a handle of its own. Cost: each state is in memory as a whole while it is
// shown.

#include <string>

#include "absl/functional/function_ref.h"
#include "modules/module.h"
#include "runtime/bytes.h"
#include "runtime/result.h"
#include "store/store.h"

namespace pure::modules {

// Visits each state in the order of the module. kStorage: *damaged names one that is damaged; those
// before it were visited. Else as StoreHandle::Find.
Result DumpStates(const Module& module, store::Store* store,
                  absl::FunctionRef<void(Bytes name, Bytes json)> visit, std::string* damaged);

}  // namespace pure::modules
