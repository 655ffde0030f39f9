#pragma once

// EventRunner: runs all that a module can do on states, for tests that only want it to end well.
//
// Thread: any.

#include "modules/info.h"
#include "modules/module.h"
#include "runtime/bytes.h"

namespace pure::testing {

// Each input and view of the module, on a memory store, with this payload; then all with the
// payload of a restarted store. Stops the process where something does not add up: a fault that
// left a trace, a restart that shows other states. Modules without states run as well.
void RunEvents(const modules::Module& module, Bytes text, Bytes body,
               modules::BodyEncoding encoding);

}  // namespace pure::testing
