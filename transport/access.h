#pragma once

// Access: who may, as the server was started. Immutable for the caller; the server swaps its
// content on SIGHUP. Thread: any.

#include "runtime/bytes.h"

namespace pure::transport {

class Access {
 public:
  virtual ~Access() = default;
  // True when requests need no token, or `bearer` (the text after "Bearer ") is one. Constant time
  // in the token's bytes.
  virtual bool Allows(Bytes bearer) const = 0;
  // True when every request needs one.
  virtual bool NeedsToken() const = 0;
};

}  // namespace pure::transport
