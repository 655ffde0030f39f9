#pragma once

// ServeOptions: what `pure serve` was asked for. Parsing checks all that can be checked without the
// module, the store and the network; it prints nothing.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "transport/transport.h"

namespace pure::server {

// After a failed sync: end the process (the service manager starts it anew), or go on answering
// reads.
enum class OnSyncError : uint8_t { kExit, kReadonly };

// When stored bytes are compared with their checksum: at each read, or at the first since the
// start.
enum class Verify : uint8_t { kAlways, kFirst };

// One value an option; the defaults are those of the option table.
struct ServeOptions {
  bool help = false;   // --help: nothing else holds
  std::string module;  // path of the module's text
  std::string store;   // directory; empty: the module's name with ".store", where the user stands
  // With kDescriptor (--listen systemd) the descriptor is not known yet: PassedDescriptor.
  transport::ListenAddress listen;
  bool loopback =
      true;  // `listen` is a loopback address: the rules against other sites' pages hold
  uint32_t threads = 1;
  uint32_t connections = 1024;      // of one thread
  size_t budget_bytes = 64u << 20;  // of one thread
  uint32_t timeout_ms = 10'000;
  std::string transport;  // one of those that the binary holds
  size_t header_limit_bytes = 4096;
  size_t object_limit_bytes = 16u << 20;
  uint32_t drain_ms = 10'000;
  std::string token_file;  // empty: no tokens
  bool open = false;
  OnSyncError on_sync_error = OnSyncError::kExit;
  Verify verify = Verify::kAlways;
  bool watch = false;  // take a changed module while serving
};

// `arguments`: what stands behind "serve". `transports`: the names that the binary holds, the
// default first. Errors (InvalidArgument) are for people: which option, what value, what is
// allowed.
absl::StatusOr<ServeOptions> ParseServeOptions(absl::Span<const char* const> arguments,
                                               absl::Span<const std::string_view> transports);

// The text of `pure serve --help`.
std::string ServeHelp(absl::Span<const std::string_view> transports);

// "127.0.0.1", "[::1]", "unix:PATH" or "systemd". `port` counts for the first two.
absl::StatusOr<transport::ListenAddress> ParseListen(std::string_view text, uint16_t port);

// 127.0.0.0/8, ::1, or the first as an IPv6 address (::ffff:127.0.0.1). A unix socket and a passed
// socket are none.
bool IsLoopback(const transport::ListenAddress& address);

// An address that others reach needs tokens or the word that everybody may. Loopback and unix
// sockets pass; so does kDescriptor: ask again with the address that the passed socket has.
absl::Status CheckReach(const transport::ListenAddress& address, bool has_tokens, bool open);

// The socket that systemd passed: `listen_fds` and `listen_pid` are the values of LISTEN_FDS and
// LISTEN_PID (null: not set). Error: none was passed to this process, or more than one.
absl::StatusOr<int> PassedDescriptor(const char* listen_fds, const char* listen_pid,
                                     int64_t own_pid);

}  // namespace pure::server
