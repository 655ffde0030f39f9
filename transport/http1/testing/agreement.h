#pragma once

// Agreement: the parser and the reference parser say the same of the same bytes, however they are
// split.

#include <cstddef>
#include <string>

#include "absl/types/span.h"
#include "runtime/bytes.h"

namespace pure::http1::testing {

// Gives the parser the first cuts[0] bytes, then the first cuts[1], …, then all, each time in
// another place of memory. Returns what is not as the reference has it, or "". `cuts` ascend.
std::string Disagreement(Bytes request, absl::Span<const size_t> cuts, size_t limit_bytes);

}  // namespace pure::http1::testing
