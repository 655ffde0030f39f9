#pragma once

// Look: the values of a module's states as one save left them, and which save changed each last.
// Plain data. Copying it is O(states); a const one may be read by any thread (rows/rows.h).

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "modules/rows/rows.h"

namespace pure::modules {

struct Look {
  std::vector<Rows> states;          // by number
  std::vector<uint64_t> changed_at;  // the commit that changed it last; by number
  uint64_t commit = 0;               // counts the saves that changed a state

  // The newest commit that changed one of these.
  uint64_t ChangedAt(absl::Span<const uint16_t> numbers) const {
    uint64_t newest = 0;
    for (const uint16_t number : numbers) newest = std::max(newest, changed_at[number]);
    return newest;
  }
};

}  // namespace pure::modules
