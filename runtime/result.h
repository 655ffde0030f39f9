#pragma once

// Result: what became of a request, on the data path. One closed set for every layer, so that a new
// code does not compile until each switch over it (status lines, counters) has an answer.
//
// A result is trivially copyable and needs no memory, also when memory is what is missing.

#include <cstdint>

#include "runtime/bytes.h"

namespace pure {

enum class [[nodiscard]] Result : uint8_t{
    kOk,
    kNotFound,  // no such document
    kConflict,  // the condition does not hold; the current revision goes with it when there is one
    kBusy,      // the store can not take it now; known not applied
    kBudget,    // the payload budget is used up; known not applied
    kAllocation,  // no memory; known not applied
    kStopped,     // the server is stopping; known not applied
    kDenied,      // the module or an access rule refuses it
    kLimit,       // larger than a limit allows
    kFault,       // the module's own refusal; its number goes with it
    kType,        // an argument of a wrong type or out of its bounds; its number goes with it
    kUncertain,   // the save failed after a byte of it was written: may or may not be there. Never
                  // downgraded
    kFull,        // the disk is full; known not applied
    kStorage,     // damaged or unreadable data, or a store that refuses to write; known not applied
};

// The word that clients see in X-Pure-Error (contract of the answers, docs/http.md). Never empty.
Bytes ResultName(Result result);

}  // namespace pure
