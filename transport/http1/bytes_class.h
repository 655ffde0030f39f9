#pragma once

// Classes of octets (RFC 9110 5.6.2, RFC 3986 2, RFC 9112 2.2), and the scan to the end of a line. No state.

#include <array>
#include <cstdint>
#include <cstring>

#include "runtime/bytes.h"

namespace pure::http1 {

inline constexpr uint8_t kTokenClass = 1;   // tchar
inline constexpr uint8_t kTargetClass = 2;  // what a target may hold; `%` is checked with what follows
inline constexpr uint8_t kHostClass = 4;    // a registered name: unreserved, sub-delims

// Bits of the classes that an octet belongs to.
inline constexpr std::array<uint8_t, 256> kClasses = [] {
  std::array<uint8_t, 256> classes{};
  const auto add = [&classes](std::string_view octets, uint8_t bits) {
    for (const char c : octets) classes[static_cast<uint8_t>(c)] |= bits;
  };
  constexpr std::string_view kAlphanumeric =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  add(kAlphanumeric, kTokenClass | kTargetClass | kHostClass);
  add("!#$%&'*+-.^_`|~", kTokenClass);
  add("-._~!$&'()*+,;=", kTargetClass | kHostClass);
  add(":@/?%", kTargetClass);
  return classes;
}();

inline bool Is(char c, uint8_t bits) { return (kClasses[static_cast<uint8_t>(c)] & bits) != 0; }

inline bool All(Bytes octets, uint8_t bits) {
  for (const char c : octets) {
    if (!Is(c, bits)) return false;
  }
  return true;
}

inline bool IsToken(Bytes octets) { return !octets.empty() && All(octets, kTokenClass); }

inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Position of the first octet that is a control character other than TAB, from `begin` on; octets.size() for none.
// Eight octets at a time: a byte is below 0x20 when subtracting 0x20 borrows from its top bit, and 0x7F when
// its difference to 0x7F is 0.
inline size_t FindControl(Bytes octets, size_t begin) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  constexpr uint64_t kTops = 0x8080808080808080;
  size_t i = begin;
  for (;;) {
    while (i + 8 <= octets.size()) {
      uint64_t word;
      std::memcpy(&word, octets.data() + i, 8);
      const uint64_t low = (word - kOnes * 0x20) & ~word & kTops;
      const uint64_t off = word ^ (kOnes * 0x7F);
      const uint64_t del = (off - kOnes) & ~off & kTops;
      if ((low | del) != 0) break;
      i += 8;
    }
    const size_t end = i + 8 <= octets.size() ? i + 8 : octets.size();
    for (; i < end; ++i) {
      const auto octet = static_cast<uint8_t>(octets[i]);
      if ((octet < 0x20 && octet != '\t') || octet == 0x7F) return i;
    }
    if (i == octets.size()) return i;
  }
}

// Without spaces and tabs at both ends (OWS).
inline Bytes Trim(Bytes octets) {
  const size_t begin = octets.find_first_not_of(" \t");
  if (begin == Bytes::npos) return {};
  return octets.substr(begin, octets.find_last_not_of(" \t") + 1 - begin);
}

}  // namespace pure::http1
