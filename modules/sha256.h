#pragma once

// SHA-256 (FIPS 180-4) of a short text: a module's identity.

#include <string>

#include "runtime/bytes.h"

namespace pure::modules {

// 64 hexadecimal digits, lower case.
std::string Sha256Hex(Bytes text);

}  // namespace pure::modules
