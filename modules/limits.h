#pragma once

// Limits of modules that no option changes.

#include <cstddef>
#include <cstdint>

namespace pure::modules {

inline constexpr size_t kModuleBytesMax = size_t{1} << 20;  // of a module text
inline constexpr uint64_t kStepsMax = 1000000;              // an event may take
inline constexpr int64_t kAnswerBytesMax =
    int64_t{1} << 20;                         // of an answer that is made; a stored value is lent
inline constexpr size_t kPathBytesMax = 255;  // of where an input or a view is
inline constexpr int64_t kLocationBytesMax = 2048;  // of where an answer sends the client
inline constexpr size_t kLocalsMax = 250;           // values that have a name at one place

}  // namespace pure::modules
