#pragma once

// Fields: what one field line means to a head, and what all of them together mean (RFC 9112 sections 3.2, 5, 6).
// Internal to the head parser.

#include "runtime/bytes.h"
#include "transport/http1/head.h"

namespace pure::http1 {

// What only the parser needs to know of the fields.
struct FieldState {
  bool host_seen = false;
  bool expect_seen = false;
  bool transfer_seen = false;
  bool content_type_seen = false;
  bool authorization_seen = false;
  bool close = false;
  bool expect_other = false;  // an expectation that is not 100-continue
  Bytes host;
  Bytes transfer;
};

// Takes one field line, without its line end. kNone: well, or of no interest.
Refusal TakeField(Bytes line, Head* head, FieldState* state);

// After the last field: framing first, then Host, then expectations.
Refusal FinishFields(Head* head, const FieldState& state, bool absolute_form);

}  // namespace pure::http1
