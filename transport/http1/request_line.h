#pragma once

// The request line (RFC 9112 section 3). Internal to the head parser.

#include "runtime/bytes.h"
#include "transport/http1/head.h"

namespace pure::http1 {

// Takes `token SP target SP HTTP/1.x`, without its line end. *absolute_form: the target brought its authority.
Refusal TakeRequestLine(Bytes line, Head* head, bool* absolute_form);

}  // namespace pure::http1
