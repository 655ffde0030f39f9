#pragma once

// StageSplice: stages a stored value with other bytes in place of a part of it, sharing the rest.
// Thread: the handle's.

#include <cstddef>
#include <cstdint>

#include "runtime/bytes.h"
#include "runtime/result.h"
#include "store/store.h"

namespace pure::durability {

// The value becomes what it is before `begin`, `insert`, and what it is from `end` on. The handle
// holds the newest look afterwards. *lent and the bytes of `insert` are kept until Commit or
// Discard. As Find and Stage. REQUIRES: begin <= end <= the value's size.
Result StageSplice(store::StoreHandle* handle, Bytes key, uint64_t base_revision, size_t begin,
                   size_t end, Bytes insert, store::Found* lent);

}  // namespace pure::durability
