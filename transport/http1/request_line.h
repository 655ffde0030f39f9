#pragma once

// The request line (RFC 9112 section 3): what its parts mean. Internal to the head parser.

#include "runtime/bytes.h"
#include "transport/http1/head.h"

namespace pure::http1 {

// The parts, each of legal octets: a token, a target with whole escapes, and "HTTP/" digit "."
// digit.
struct RequestLine {
  Bytes method;
  Bytes target;
  Bytes version;
};

// Fills method, version, target, path and query of *head. head->authority is set only by the
// absolute-form.
Refusal TakeRequestLine(const RequestLine& line, Head* head);

}  // namespace pure::http1
