#pragma once

// Bytes: a borrowed run of octets, as it is passed through every layer.
//
// Lifetime: a span owns nothing. As a call argument it is valid until the call returns; as a
// returned value until the next non-const call of its lender, unless the function says otherwise.

#include <string_view>

#include "absl/types/span.h"

namespace pure {

// Octets, not text: no encoding is implied, and an embedded NUL is a byte like any other.
using Bytes = std::string_view;

// Octets that the callee may fill in.
using MutableBytes = absl::Span<char>;

}  // namespace pure
