#pragma once

// Fields: what one field line means to a head, and what all of them together mean (RFC 9112
// sections 3.2, 5, 6). Internal to the head parser.

#include <cstdint>

#include "runtime/bytes.h"
#include "transport/http1/head.h"

namespace pure::http1 {

// What only the parser needs to know of the fields.
struct FieldState {
  // Fields that may stand once only, and have come. Bits.
  enum Seen : uint16_t {
    kHost = 1,
    kExpect = 2,
    kTransferEncoding = 4,
    kContentType = 8,
    kAuthorization = 16,
    kContentLength = 32,
    kOrigin = 64,
  };
  uint16_t seen = 0;
  bool close = false;
  bool expect_other = false;  // an expectation that is not 100-continue
  Bytes host;
  Bytes transfer;
};

// Takes one field, its name a token, its value trimmed. kNone: well, or of no interest.
Refusal TakeField(Bytes name, Bytes value, Head* head, FieldState* state);

// After the last field: framing first, then Host, then expectations.
Refusal FinishFields(Head* head, const FieldState& state);

}  // namespace pure::http1
