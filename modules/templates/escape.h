#pragma once

// Escape: how a text becomes part of an HTML page, a URL, a CSV field.
//
// Thread: any; no state. Cost: linear; runs that need nothing are copied whole.

#include <cstddef>
#include <cstdint>
#include <string>

#include "runtime/bytes.h"

namespace pure::modules {

enum class Escape : uint8_t {
  kPlain,    // as it is
  kHtml,     // text and quoted attributes: & < > " '
  kUrl,      // a whole URL in a quoted attribute: as kHtml, or # when it is not safe (IsSafeUrl)
  kUrlPart,  // within a URL: all but letters, digits and -._~ as %XX (RFC 3986 section 2)
  kCsv,      // a field (RFC 4180), quoted where it must be; one that a spreadsheet would run as a
             // formula has a ' before it
};

// Octets that one octet becomes at most, and that come on top of all.
inline constexpr size_t kEscapeFactorMax = 6;
inline constexpr size_t kEscapeExtraMax = 3;

void AppendEscaped(Escape escape, Bytes text, std::string* out);

// Relative, or of the scheme http, https or mailto. Browsers pass over control characters and
// blanks in schemes, so one with such is not safe.
bool IsSafeUrl(Bytes url);

}  // namespace pure::modules
