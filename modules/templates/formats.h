#pragma once

// Formats: how times and spans of time are written. Times are milliseconds since the first of
// January 1970, UTC; any 64 bits are one. Years outside of 0 to 9999 have a sign and at least five
// digits (ISO 8601, extended).
//
// Thread: any; no state, no locale.

#include <cstdint>
#include <string>

namespace pure::modules {

// Of any of them.
inline constexpr size_t kFormatBytesMax = 64;

void AppendIso(int64_t time_ms, std::string* out);    // 2026-12-01T10:00:00Z, with .250 if there is
void AppendDate(int64_t time_ms, std::string* out);   // 2026-12-01
void AppendClock(int64_t time_ms, std::string* out);  // 10:00:00
void AppendSpan(int64_t span_ms, std::string* out);   // 2d 1h 30m 5s, 0s, 250ms, -1m

}  // namespace pure::modules
