#pragma once

// Limits of the core that no option changes. Units stand last in each name.

#include <cstddef>
#include <cstdint>

namespace pure {

inline constexpr size_t kKeyBytesMax = 64;       // of a document's key: A-Za-z0-9-_
inline constexpr uint32_t kSlotsMax = 1u << 20;  // of one runtime; a slot number fits in 20 bits

}  // namespace pure
