#pragma once

// Answer heads: status lines and fields, written into the caller's buffer. No OS call, no
// allocation, no locale.

#include <cstddef>
#include <cstdint>

#include "runtime/bytes.h"
#include "transport/http1/head.h"

namespace pure::http1 {

struct AnswerHead {
  uint16_t status = 200;        // 100 to 599; without a phrase when StatusText has none
  Bytes error = "none";         // X-Pure-Error
  uint64_t content_length = 0;  // sent but for 1xx, 204 (RFC 9110 8.6); a 304 has none either
  uint64_t revision = 0;        // ETag: "revision"; 0: none
  Bytes content_type;           // empty: no field
  Bytes allow;                  // Allow, for 405 and OPTIONS; empty: no field
  Bytes extra;                  // whole further lines, each with its CRLF; empty: none
  bool revalidates = false;     // Cache-Control: no-cache instead of no-store
  bool retry_after = false;     // Retry-After: 1
  bool challenge = false;       // WWW-Authenticate: Bearer
  bool close = false;           // Connection: close
};

// "200 OK" … without the version; empty for a status that is not known.
Bytes StatusText(uint16_t status);

// Largest head that WriteHead makes with fields of the given total size.
inline constexpr size_t kAnswerHeadBytesMax = 512;  // plus content_type, allow and extra

// Writes the head with `date` (29 bytes, see WriteDate); returns its size.
// REQUIRES: out.size() >= kAnswerHeadBytesMax + the sizes of content_type, allow and extra.
size_t WriteHead(const AnswerHead& head, Bytes date, MutableBytes out);

inline constexpr size_t kDateBytes = 29;
// IMF-fixdate (RFC 9110 5.6.7) of a time in ms since 1970 UTC: "Sun, 06 Nov 1994 08:49:37 GMT".
// REQUIRES: out.size() >= kDateBytes; a year of four digits.
void WriteDate(int64_t wall_ms, MutableBytes out);

// "HTTP/1.1 100 Continue\r\n\r\n"
Bytes ContinueHead();

// The status and the X-Pure-Error word of a refusal.
uint16_t RefusalStatus(Refusal refusal);
Bytes RefusalName(Refusal refusal);

}  // namespace pure::http1
