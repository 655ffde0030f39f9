#pragma once

// Listening sockets: opened, checked and described for people. Thread: any.

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "transport/transport.h"

namespace pure::transport {

struct Listener {
  int descriptor = -1;    // non-blocking, close-on-exec
  uint16_t port = 0;      // 0: not TCP
  bool tcp = true;
  std::string unix_path;  // removed when the listener is closed; empty: none
};

absl::StatusOr<Listener> OpenListener(const ListenOptions& options);
void CloseListener(Listener* listener);

}  // namespace pure::transport
