#pragma once

// What a store keeps for the program itself, under system keys: they begin with the octet 0, as no
// document's key does. So far this is the text of the module that wrote the store.
//
// Thread: any, with a handle of its own for each call.

#include <string>

#include "runtime/bytes.h"
#include "runtime/result.h"
#include "store/store.h"

namespace pure::server {

// Saves the text when the store keeps another one, or none. kOk: it is kept. Else as
// StoreHandle::Commit; the old one is then kept.
Result KeepModuleText(Bytes text, store::Store* store);

// kNotFound: none is kept. Else as StoreHandle::Find.
Result FindModuleText(store::Store* store, std::string* text);

}  // namespace pure::server
