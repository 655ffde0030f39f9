#include "platforms/server/serve_options.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "platforms/server/options.h"
#include "runtime/limits.h"

namespace pure::server {
namespace {

using Kind = Option::Kind;

constexpr uint32_t kThreadsMax = 256;
constexpr uint32_t kWaitMsMax = 3'600'000;           // an hour
constexpr size_t kHeaderBytesMin = 256;              // less does not hold what browsers send
constexpr size_t kHeaderBytesMax = 64u << 10;        // every connection may hold that much
constexpr size_t kObjectBytesMax = size_t{1} << 30;  // one save holds it whole
constexpr int kFirstPassedDescriptor = 3;            // SD_LISTEN_FDS_START of sd_listen_fds(3)
// Without its final NUL; the kernel takes a path that fills the array, other tools do not.
constexpr size_t kUnixPathBytesMax = sizeof(sockaddr_un{}.sun_path) - 1;

// What the table sets, before it is made into ServeOptions.
struct Raw {
  ServeOptions options;
  std::string listen;
  uint16_t port = 0;
  std::string on_sync_error;
  std::string verify;
};

std::vector<Option> ListenRows(Raw* raw) {
  return {
      {.name = "port",
       .kind = Kind::kNumber,
       .variable = &raw->port,
       .default_text = "8767",
       .value_name = "N",
       .help = "TCP port; 0 lets the kernel choose"},
      {.name = "listen",
       .kind = Kind::kText,
       .variable = &raw->listen,
       .default_text = "127.0.0.1",
       .value_name = "ADDR",
       .help = "IPv4, [IPv6], unix:PATH, or systemd for a passed socket"},
      {.name = "token-file",
       .kind = Kind::kText,
       .variable = &raw->options.token_file,
       .default_note = "none",
       .value_name = "FILE",
       .help = "bearer tokens, one \"name role sha256\" a line; read anew on SIGHUP"},
      {.name = "open",
       .kind = Kind::kSwitch,
       .variable = &raw->options.open,
       .default_note = "off",
       .help = "serve an address that others reach without tokens"},
  };
}

std::vector<Option> LimitRows(ServeOptions* options) {
  return {
      {.name = "threads",
       .kind = Kind::kNumber,
       .variable = &options->threads,
       .default_text = "1",
       .value_name = "N",
       .low = 1,
       .high = kThreadsMax,
       .help = "connection threads"},
      {.name = "connections",
       .kind = Kind::kNumber,
       .variable = &options->connections,
       .default_text = "1024",
       .value_name = "N",
       .low = 1,
       .high = kSlotsMax,
       .help = "clients of one thread at once"},
      {.name = "budget",
       .kind = Kind::kSize,
       .variable = &options->budget_bytes,
       .default_text = "64M",
       .value_name = "BYTES",
       .low = 1,
       .help = "payload bytes that one thread may hold"},
      {.name = "object-limit",
       .kind = Kind::kSize,
       .variable = &options->object_limit_bytes,
       .default_text = "16M",
       .value_name = "BYTES",
       .low = 1,
       .high = kObjectBytesMax,
       .help = "largest document"},
      {.name = "header-limit",
       .kind = Kind::kSize,
       .variable = &options->header_limit_bytes,
       .default_text = "4096",
       .value_name = "BYTES",
       .low = kHeaderBytesMin,
       .high = kHeaderBytesMax,
       .help = "largest request head"},
      {.name = "timeout-ms",
       .kind = Kind::kNumber,
       .variable = &options->timeout_ms,
       .default_text = "10000",
       .value_name = "MS",
       .low = 1,
       .high = kWaitMsMax,
       .help = "longest wait for a request head; grace of the minimum rate of a body"},
      {.name = "drain-ms",
       .kind = Kind::kNumber,
       .variable = &options->drain_ms,
       .default_text = "10000",
       .value_name = "MS",
       .high = kWaitMsMax,
       .help = "longest stop"},
  };
}

std::vector<Option> Table(absl::Span<const std::string_view> transports, Raw* raw) {
  std::vector<Option> table = {
      {.name = "store",
       .kind = Kind::kText,
       .variable = &raw->options.store,
       .default_note = "the module's name with .store",
       .value_name = "DIR",
       .help = "directory of the documents, made when missing"},
  };
  for (Option& row : ListenRows(raw)) table.push_back(std::move(row));
  for (Option& row : LimitRows(&raw->options)) table.push_back(std::move(row));
  table.push_back({.name = "transport",
                   .kind = Kind::kChoice,
                   .variable = &raw->options.transport,
                   .default_text = transports.front(),
                   .choices = {transports.begin(), transports.end()},
                   .help = "how sockets are driven"});
  table.push_back({.name = "on-sync-error",
                   .kind = Kind::kChoice,
                   .variable = &raw->on_sync_error,
                   .default_text = "exit",
                   .choices = {"exit", "readonly"},
                   .help = "after a failed sync, end the process or go on reading"});
  table.push_back({.name = "verify",
                   .kind = Kind::kChoice,
                   .variable = &raw->verify,
                   .default_text = "always",
                   .choices = {"always", "first"},
                   .help = "check stored bytes at each read, or at the first since the start"});
  table.push_back({.name = "watch",
                   .kind = Kind::kSwitch,
                   .variable = &raw->options.watch,
                   .default_note = "off",
                   .help = "when the module's file changes, check and test it, then serve it"});
  return table;
}

absl::Status WrongListen(std::string_view text, std::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("--listen: \"", absl::Utf8SafeCEscape(text), "\" ", what));
}

absl::Status TakeModule(const ParsedArguments& arguments, ServeOptions* options) {
  if (arguments.positional.empty()) {
    return absl::InvalidArgumentError("the module is missing: pure serve MODULE");
  }
  if (arguments.positional.size() > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", absl::Utf8SafeCEscape(arguments.positional[1]),
                     "\" is one argument too many: pure serve MODULE"));
  }
  options->module = arguments.positional[0];
  if (options->module.empty()) return absl::InvalidArgumentError("the module's path is empty");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ServeOptions> ParseServeOptions(absl::Span<const char* const> arguments,
                                               absl::Span<const std::string_view> transports) {
  Raw raw;
  ServeOptions& options = raw.options;
  const absl::StatusOr<ParsedArguments> parsed = ParseOptions(Table(transports, &raw), arguments);
  if (!parsed.ok()) return parsed.status();
  options.help = parsed->help;
  if (options.help) return options;
  if (absl::Status status = TakeModule(*parsed, &options); !status.ok()) return status;
  absl::StatusOr<transport::ListenAddress> listen = ParseListen(raw.listen, raw.port);
  if (!listen.ok()) return listen.status();
  options.listen = *std::move(listen);
  options.loopback = IsLoopback(options.listen);
  options.on_sync_error =
      raw.on_sync_error == "readonly" ? OnSyncError::kReadonly : OnSyncError::kExit;
  options.verify = raw.verify == "first" ? Verify::kFirst : Verify::kAlways;
  const bool has_tokens = !options.token_file.empty();
  if (options.open && has_tokens) {
    return absl::InvalidArgumentError(
        "--open and --token-file exclude each other: either everybody may, or who has a token");
  }
  if (absl::Status status = CheckReach(options.listen, has_tokens, options.open); !status.ok()) {
    return status;
  }
  return options;
}

std::string ServeHelp(absl::Span<const std::string_view> transports) {
  Raw raw;
  return absl::StrCat(
      "usage: pure serve MODULE [--name value | --name=value]...\n\n"
      "Serves the module over HTTP/1.1.\n"
      "Sizes take k, M or G (powers of 1024).\n\n",
      OptionsHelp(Table(transports, &raw)));
}

absl::StatusOr<transport::ListenAddress> ParseListen(std::string_view text, uint16_t port) {
  using Family = transport::ListenAddress::Family;
  // C functions read the text below, and would not see what stands behind a NUL.
  if (text.find('\0') != std::string_view::npos) return WrongListen(text, "holds a NUL byte");
  transport::ListenAddress address;
  if (text == "systemd") {
    address.family = Family::kDescriptor;
    address.address.clear();
    return address;
  }
  if (std::string_view path = text; absl::ConsumePrefix(&path, "unix:")) {
    if (path.empty()) return WrongListen(text, "lacks the socket's path");
    if (path.size() > kUnixPathBytesMax) {
      return WrongListen(text, absl::StrCat("is too long: the kernel takes paths of ",
                                            kUnixPathBytesMax, " bytes"));
    }
    address.family = Family::kUnix;
    address.address = std::string(path);
    return address;
  }
  address.port = port;
  address.address = std::string(text);
  if (absl::StartsWith(text, "[") && absl::EndsWith(text, "]")) {
    address.family = Family::kIpv6;
    address.address = std::string(text.substr(1, text.size() - 2));
    in6_addr numeric{};
    if (inet_pton(AF_INET6, address.address.c_str(), &numeric) == 1) return address;
    return WrongListen(text, "is no IPv6 address");
  }
  in_addr numeric{};
  if (inet_pton(AF_INET, address.address.c_str(), &numeric) == 1) return address;
  in6_addr bare{};
  if (inet_pton(AF_INET6, address.address.c_str(), &bare) == 1) {
    return WrongListen(text, absl::StrCat("has to be written in brackets: [", text, "]"));
  }
  return WrongListen(text,
                     "is not allowed; it takes an IPv4 address in numbers, [an IPv6 address], "
                     "unix:PATH or systemd");
}

bool IsLoopback(const transport::ListenAddress& address) {
  using Family = transport::ListenAddress::Family;
  switch (address.family) {
    case Family::kIpv4: {
      in_addr numeric{};
      if (inet_pton(AF_INET, address.address.c_str(), &numeric) != 1) return false;
      return ntohl(numeric.s_addr) >> 24 == 127;
    }
    case Family::kIpv6: {
      in6_addr numeric{};
      if (inet_pton(AF_INET6, address.address.c_str(), &numeric) != 1) return false;
      return IN6_IS_ADDR_LOOPBACK(&numeric) ||
             (IN6_IS_ADDR_V4MAPPED(&numeric) && numeric.s6_addr[12] == 127);
    }
    case Family::kUnix:
    case Family::kDescriptor:
      return false;
  }
  return false;
}

absl::Status CheckReach(const transport::ListenAddress& address, bool has_tokens, bool open) {
  using Family = transport::ListenAddress::Family;
  const bool others_reach_it =
      (address.family == Family::kIpv4 || address.family == Family::kIpv6) && !IsLoopback(address);
  if (!others_reach_it || has_tokens || open) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--listen: others can reach ", absl::Utf8SafeCEscape(address.address),
                   "; give --token-file FILE to say who may, or --open to let everybody"));
}

absl::StatusOr<int> PassedDescriptor(const char* listen_fds, const char* listen_pid,
                                     int64_t own_pid) {
  int64_t pid = 0;
  if (listen_fds == nullptr || listen_pid == nullptr || !absl::SimpleAtoi(listen_pid, &pid) ||
      pid != own_pid) {
    return absl::InvalidArgumentError(
        "--listen systemd: no socket was passed to this process (LISTEN_FDS, LISTEN_PID)");
  }
  if (std::strcmp(listen_fds, "1") != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--listen systemd: exactly one socket has to be passed, not LISTEN_FDS=",
                     absl::Utf8SafeCEscape(listen_fds)));
  }
  return kFirstPassedDescriptor;
}

}  // namespace pure::server
