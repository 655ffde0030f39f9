#pragma once

// UTF-8 checks (RFC 3629): no overlong forms, no surrogates, nothing above U+10FFFF.
// Cost: linear; runs of ASCII go eight octets at a time.

#include <cstddef>
#include <cstdint>

#include "runtime/bytes.h"

namespace pure::modules {

// Octets of the character that starts `text`, 1 to 4; 0 when it is not well formed. REQUIRES:
// !text.empty().
size_t Utf8CharacterSize(Bytes text);

// Index of the first octet of the first malformed character; text.size() when all of it is well
// formed.
size_t Utf8ValidPrefix(Bytes text);

inline bool IsUtf8(Bytes text) { return Utf8ValidPrefix(text) == text.size(); }

// Writes a character's 1 to 4 octets to `out`; returns how many.
// REQUIRES: code_point <= 0x10FFFF and is no surrogate.
size_t EncodeUtf8(uint32_t code_point, char* out);

}  // namespace pure::modules
