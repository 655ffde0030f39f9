#pragma once

// The seam at which a transport is chosen: whoever builds the program links one target that defines
// this function
// (//transport/epoll, later //transport/io_uring). No registry, no conditional compilation.

#include <memory>
#include <string>

#include "transport/transport.h"

namespace pure::transport {

// A transport for the thread that will call it, or null and *why_not for a person.
std::unique_ptr<Transport> MakeTransport(const TransportOptions& options, std::string* why_not);

}  // namespace pure::transport
