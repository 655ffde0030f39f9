#pragma once

// A socket that the service manager passed in: what it is bound to, so that the rules for its
// address hold.

#include "absl/status/statusor.h"
#include "transport/transport.h"

namespace pure::server {

// The address of a bound socket, for IsLoopback and CheckReach. Its family is what the socket is
// bound to.
absl::StatusOr<transport::ListenAddress> AddressOfSocket(int descriptor);

}  // namespace pure::server
