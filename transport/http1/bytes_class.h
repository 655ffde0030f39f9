#pragma once

// Classes of octets (RFC 9110 5.6.2, RFC 3986 2, RFC 9112 2.2), and the scans over them. No state.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "runtime/bytes.h"

namespace pure::http1 {

inline constexpr uint8_t kTokenClass = 1;   // tchar
inline constexpr uint8_t kTargetClass = 2;  // what a target may hold, but for `%`
inline constexpr uint8_t kHostClass = 4;    // a registered name: unreserved, sub-delims
inline constexpr uint8_t kHexClass = 8;     // HEXDIG, in either case

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
  add(":@/?", kTargetClass);
  add("0123456789ABCDEFabcdef", kHexClass);
  return classes;
}();

inline bool Is(char c, uint8_t bits) { return (kClasses[static_cast<uint8_t>(c)] & bits) != 0; }

// Position of the first octet from `begin` on that is in none of the classes; octets.size() for
// none.
inline size_t FindOther(Bytes octets, size_t begin, uint8_t bits) {
  size_t i = begin;
  while (i < octets.size() && Is(octets[i], bits)) ++i;
  return i;
}

inline bool IsToken(Bytes octets) {
  return !octets.empty() && FindOther(octets, 0, kTokenClass) == octets.size();
}

inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// True when octets[at] is `%` and two hexadecimal digits follow (RFC 3986 2.1).
inline bool IsEscape(Bytes octets, size_t at) {
  return at + 2 < octets.size() && octets[at] == '%' && Is(octets[at + 1], kHexClass) &&
         Is(octets[at + 2], kHexClass);
}

// Position of the first octet that is a control character other than TAB, from `begin` on;
// octets.size() for none. Eight octets at a time: a byte is below 0x20 when subtracting 0x20
// borrows from its top bit, and 0x7F when its difference to 0x7F is 0.
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

inline bool IsBlank(char c) { return c == ' ' || c == '\t'; }

// Without spaces and tabs at both ends (OWS). Points into `octets`, also when nothing is left.
inline Bytes Trim(Bytes octets) {
  while (!octets.empty() && IsBlank(octets.front())) octets.remove_prefix(1);
  while (!octets.empty() && IsBlank(octets.back())) octets.remove_suffix(1);
  return octets;
}

}  // namespace pure::http1
