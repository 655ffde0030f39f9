#include "store/crc32c.h"

#include <array>
#include <cstddef>
#include <cstring>

#include "absl/crc/crc32c.h"

#if defined(__x86_64__)
#include <nmmintrin.h>
#define PURE_CRC_TARGET __attribute__((target("sse4.2")))
#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
#define PURE_CRC_TARGET
#endif

namespace pure::store {

#if defined(PURE_CRC_TARGET)
namespace {

// The instruction takes three cycles but one can begin in each: three lanes at a time, joined at
// the end.
constexpr size_t kLaneBytes = 128;
constexpr uint32_t kPolynomial = 0x82f63b78;  // reflected

using ShiftTable = std::array<std::array<uint32_t, 256>, 4>;

// What kLaneBytes zero bytes make of a register, for each value of each of its bytes. The map is
// linear, so the rest follows from the 32 single bits.
constexpr ShiftTable MakeShiftTable() {
  ShiftTable table{};
  for (uint32_t bit = 0; bit < 32; ++bit) {
    uint32_t value = uint32_t{1} << bit;
    for (size_t i = 0; i < kLaneBytes * 8; ++i) {
      value = (value >> 1) ^ ((value & 1) != 0 ? kPolynomial : 0);
    }
    for (uint32_t byte = 0; byte < 256; ++byte) {
      if ((byte >> (bit % 8) & 1) != 0) table[bit / 8][byte] ^= value;
    }
  }
  return table;
}

constexpr ShiftTable kShiftTable = MakeShiftTable();

uint32_t Shift(uint32_t value) {
  return kShiftTable[0][value & 255] ^ kShiftTable[1][value >> 8 & 255] ^
         kShiftTable[2][value >> 16 & 255] ^ kShiftTable[3][value >> 24];
}

uint64_t Load(const char* at) {
  uint64_t word;
  std::memcpy(&word, at, sizeof(word));  // both processors are little-endian
  return word;
}

PURE_CRC_TARGET inline uint32_t StepWord(uint32_t value, const char* at) {
#if defined(__x86_64__)
  return static_cast<uint32_t>(_mm_crc32_u64(value, Load(at)));
#else
  return __crc32cd(value, Load(at));
#endif
}

PURE_CRC_TARGET inline uint32_t StepByte(uint32_t value, char byte) {
#if defined(__x86_64__)
  return _mm_crc32_u8(value, static_cast<unsigned char>(byte));
#else
  return __crc32cb(value, static_cast<unsigned char>(byte));
#endif
}

PURE_CRC_TARGET uint32_t ExtendByInstruction(uint32_t crc, const char* at, size_t size) {
  uint32_t value = ~crc;
  for (; size >= 3 * kLaneBytes; at += 3 * kLaneBytes, size -= 3 * kLaneBytes) {
    uint32_t second = 0;
    uint32_t third = 0;
    for (size_t i = 0; i < kLaneBytes; i += 8) {
      value = StepWord(value, at + i);
      second = StepWord(second, at + kLaneBytes + i);
      third = StepWord(third, at + 2 * kLaneBytes + i);
    }
    value = Shift(Shift(value) ^ second) ^ third;
  }
  for (; size >= 8; at += 8, size -= 8) value = StepWord(value, at);
  for (; size > 0; ++at, --size) value = StepByte(value, *at);
  return ~value;
}

bool HasInstruction() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("sse4.2") != 0;
#else
  return true;
#endif
}

}  // namespace
#endif

uint32_t ExtendCrc32c(uint32_t crc, Bytes bytes) {
#if defined(PURE_CRC_TARGET)
  if (HasInstruction()) return ExtendByInstruction(crc, bytes.data(), bytes.size());
#endif
  return static_cast<uint32_t>(absl::ExtendCrc32c(absl::crc32c_t{crc}, bytes));
}

}  // namespace pure::store
