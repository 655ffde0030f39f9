#pragma once

// Forms: reads application/x-www-form-urlencoded payloads, strictly: pairs of NAME=VALUE with one
// `&` between, `+` for a space, %XX with two hexadecimal digits. What a browser or curl sends
// passes; what is cut off or made by hand wrongly does not.
//
// Cost: linear, no memory. Lifetime: fields point into the payload.

#include <cstddef>

#include "runtime/bytes.h"

namespace pure::modules {

// A field as it stands in the payload, still encoded.
struct FormField {
  Bytes name;
  Bytes value;
};

// Takes the next field off `payload`. False: it does not start with one. REQUIRES:
// !payload->empty().
[[nodiscard]] bool TakeFormField(Bytes* payload, FormField* field);

// Octets of the decoded value. False: a `%` without its digits.
[[nodiscard]] bool FormDecodedSize(Bytes encoded, size_t* size_bytes);
// True when the value stands for itself.
bool IsFormPlain(Bytes encoded);
// Decodes to `out`; returns where it ends. REQUIRES: FormDecodedSize passed, and that much room.
char* FormDecode(Bytes encoded, char* out);

// True when the encoded name stands for `name`.
bool FormNameIs(Bytes encoded, Bytes name);

}  // namespace pure::modules
