#pragma once

// Faults that every module has without naming them. They are the first of Module::faults(), in this
// order; a message that declares a fault of the same name gives it a status and a text of its own
// there.

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "runtime/bytes.h"

namespace pure::modules {

enum class BuiltinFault : uint8_t {
  kOverflow,  // a number left the 64 bits
  kDivide,    // division by zero
  kFull,      // a value larger than its type allows
  kNotFound,  // answered as a missing document, Result::kNotFound
  kType,      // a value smaller than its type allows
  kRange,     // a range that is not inside its value, or cuts a character of a text
};

struct BuiltinFaultText {
  Bytes name;
  uint16_t status;
  Bytes text;
};

inline constexpr BuiltinFaultText kBuiltinFaults[] = {
    {"overflow", 409, "A number is out of range."}, {"divide", 409, "A division by zero."},
    {"full", 409, "There is no more room."},        {"not_found", 404, "There is no such thing."},
    {"type", 422, "A value has the wrong form."},   {"range", 409, "There is no such range."},
};
inline constexpr size_t kBuiltinFaultCount = std::size(kBuiltinFaults);

}  // namespace pure::modules
