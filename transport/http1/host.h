#pragma once

// Host and authority (RFC 9110 7.2, RFC 3986 3.2.2). No allocation.

#include "runtime/bytes.h"

namespace pure::http1 {

// Splits "name", "name:port", "[v6]", "[v6]:port" and checks the grammar: a registered name, an
// IPv4 or a bracketed IPv6 address, and a port of digits, which may be empty. `name` keeps its
// brackets. False: not of that form, or empty.
bool SplitHost(Bytes authority, Bytes* name, Bytes* port);

// localhost in any case, an address in 127.0.0.0/8 written as four numbers, or [::1].
bool IsLoopbackName(Bytes name);

}  // namespace pure::http1
