#pragma once

// How failed assertions print the store's types.

#include <ostream>

#include "runtime/result.h"
#include "store/files.h"

namespace pure::store {

inline void PrintTo(IoError error, std::ostream* out) {
  *out << static_cast<int>(error) << " (" << IoErrorText(error) << ")";
}

}  // namespace pure::store

namespace pure {

inline void PrintTo(Result result, std::ostream* out) { *out << ResultName(result); }

}  // namespace pure
