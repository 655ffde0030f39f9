#pragma once

// A second head parser, written from the grammar of RFC 9112 and RFC 3986 alone: slow, allocating,
// and as plain as possible, to be compared with the first. It shares no code with it.

#include <cstddef>

#include "runtime/bytes.h"
#include "transport/http1/head.h"

namespace pure::http1::testing {

struct ReferenceResult {
  ParseResult result = ParseResult::kIncomplete;
  Refusal refusal = Refusal::kNone;
  Head head;  // kComplete only; its spans point into the request
};

// What a parser with this limit has to say of these bytes.
ReferenceResult ReferenceParse(Bytes request, size_t limit_bytes);

}  // namespace pure::http1::testing
