#pragma once

// Listening sockets: opened, checked, and described for people.
//
// Thread: any. Errors: absl::Status with a text that names the address and what a person can do.

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "transport/transport.h"

namespace pure::transport {

// By value what a listening socket is; whoever has one ends it with CloseListener.
struct Listener {
  int descriptor = -1;    // non-blocking, closed on exec; -1: none
  uint16_t port = 0;      // 0: not TCP
  bool tcp = true;        // else a unix socket
  std::string unix_path;  // removed when the listener is closed; empty: none
};

// As the options say. A unix socket has mode 0660; the file of one that nobody answers on is
// replaced. A passed descriptor is duplicated and stays the caller's.
absl::StatusOr<Listener> OpenListener(const ListenOptions& options);

// Another descriptor of the same socket, with one queue for both. The first one removes the path.
absl::StatusOr<Listener> ShareListener(const Listener& first);

// Harmless when there is none.
void CloseListener(Listener* listener);

}  // namespace pure::transport
