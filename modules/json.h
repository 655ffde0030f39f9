#pragma once

// JSON strings (RFC 8259), made from octets. What is not UTF-8 becomes U+FFFD, octet by octet.

#include <cstddef>
#include <string>

#include "runtime/bytes.h"

namespace pure::modules {

inline constexpr Bytes kJsonType = "application/json";

// Octets that WriteJsonString writes: at most 6 for each of `text`, and 2 quotes.
size_t JsonStringSize(Bytes text);

// Writes `text` as a JSON string, with its quotes, to `out`; returns where it ends.
// REQUIRES: room for JsonStringSize(text) octets.
char* WriteJsonString(Bytes text, char* out);

std::string JsonString(Bytes text);

}  // namespace pure::modules
