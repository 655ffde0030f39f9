#pragma once

// SavedRows: rows in the store, each chunk as a value under a key of its own, which is one of the
// program's: the octets 0 and `s`, the name, the octet 0, and the chunk's id with its highest octet
// first.
//
// Thread: that of the handle.

#include <cstdint>
#include <string>

#include "modules/rows/rows.h"
#include "runtime/bytes.h"
#include "runtime/result.h"
#include "store/store.h"

namespace pure::modules {

// Stages what differs. `before` is what the store holds; `now` stays until the commit, for the
// store borrows its octets. REQUIRES: a look is held. As StoreHandle::Stage.
Result StageRows(Bytes name, const Rows& before, const Rows& now, store::StoreHandle* handle);

// Reads them back. *rows is empty when there are none. kStorage: they are damaged, or no rows;
// *damaged is the chunk's key then.
Result LoadRows(Bytes name, store::Store* store, store::StoreHandle* handle, Rows* rows,
                std::string* damaged);

}  // namespace pure::modules
