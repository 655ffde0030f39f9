#pragma once

// The text of the module that wrote a store (modules/states.h saves it there).
//
// Thread: any, with a handle of its own for each call.

#include <string>

#include "runtime/bytes.h"
#include "runtime/result.h"
#include "store/store.h"

namespace pure::server {

// kNotFound: none is kept. Else as StoreHandle::Find.
Result FindModuleText(store::Store* store, std::string* text);

}  // namespace pure::server
