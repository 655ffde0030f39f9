#pragma once

// Trace checks: rules about the order and place of disk operations that a journal must keep. Each
// returns one line for every breach: what happened, at which operation. Empty: it was kept.

#include <string>
#include <vector>

#include "store/simulated/simulated_disk.h"

namespace pure::store {

// Isolation (D14): no write touches a 4096-byte block that holds acknowledged bytes. Bytes become
// acknowledged with the first acknowledged mark after their sync. A write of zeros only is taken
// for preparation: it acknowledges nothing, but may not touch such a block either.
std::vector<std::string> IsolationBreaches(const DiskJournal& journal);

// Order (D15): at an acknowledged mark, each file written since the mark before it was synced with
// success after its last write (of more than zeros), and its name since its creation. Only for
// journals in which nothing else is on its way at a mark.
std::vector<std::string> OrderBreaches(const DiskJournal& journal);

// Sticky failure (D9, P6): after a failed sync, or a failed write that put bytes down, there is no
// operation any more, and no acknowledged mark.
std::vector<std::string> StickyBreaches(const DiskJournal& journal);

}  // namespace pure::store
