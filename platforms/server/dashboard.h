#pragma once

// The operator's page at /-/: live graphs drawn by the browser from /-/stats. It is whole in
// itself: no other server is asked for anything. Static bytes.

#include "runtime/bytes.h"

namespace pure::server {

Bytes Dashboard();

}  // namespace pure::server
