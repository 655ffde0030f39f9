#pragma once

// Little-endian numbers in bytes, for the store's formats.

#include <cstddef>
#include <cstdint>

#include "runtime/bytes.h"

namespace pure::store {

// Writes `size` low octets of `value`, the lowest first.
inline void PutNumber(char* at, size_t size, uint64_t value) {
  for (size_t i = 0; i < size; ++i) at[i] = static_cast<char>((value >> (8 * i)) & 0xff);
}
inline void PutU32(char* at, uint32_t value) { PutNumber(at, 4, value); }
inline void PutU64(char* at, uint64_t value) { PutNumber(at, 8, value); }

inline uint64_t GetNumber(const char* at, size_t size) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) {
    value |= uint64_t{static_cast<unsigned char>(at[i])} << (8 * i);
  }
  return value;
}
inline uint32_t GetU32(const char* at) { return static_cast<uint32_t>(GetNumber(at, 4)); }
inline uint64_t GetU64(const char* at) { return GetNumber(at, 8); }

}  // namespace pure::store
