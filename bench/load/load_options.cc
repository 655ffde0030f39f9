#include "bench/load/load_options.h"

#include "absl/strings/str_cat.h"

namespace pure::bench {
namespace {

absl::Status Wrong(std::string_view what) { return absl::InvalidArgumentError(what); }

bool IsPrintable(std::string_view text) {
  for (const char c : text) {
    if (c <= ' ' || c > '~') return false;
  }
  return true;
}

}  // namespace

absl::Status CheckLoadOptions(const LoadOptions& options) {
  if (options.port == 0) return Wrong("port: 1 to 65535");
  if (options.connections < 1 || options.connections > LoadOptions::kConnectionsMax) {
    return Wrong(absl::StrCat("connections: 1 to ", LoadOptions::kConnectionsMax));
  }
  if (options.depth < 1 || options.depth > LoadOptions::kDepthMax) {
    return Wrong(absl::StrCat("depth: 1 to ", LoadOptions::kDepthMax));
  }
  if (!(options.seconds > 0 && options.seconds <= LoadOptions::kSecondsMax)) {
    return Wrong(absl::StrCat("seconds: more than 0, at most ", LoadOptions::kSecondsMax));
  }
  if (options.value_bytes > LoadOptions::kValueBytesMax) {
    return Wrong(absl::StrCat("value_bytes: at most ", LoadOptions::kValueBytesMax));
  }
  if (!options.path.empty()) {
    if (options.path.front() != '/' || !IsPrintable(options.path))
      return Wrong("path: begins with / and has no spaces");
    if (options.method.empty() || !IsPrintable(options.method)) return Wrong("method: a word");
    return absl::OkStatus();
  }
  if (options.put_percent > 100) return Wrong("put_percent: 0 to 100");
  if (options.key_prefix.empty() || options.key_prefix.size() > 32 ||
      !IsPrintable(options.key_prefix)) {
    return Wrong("key_prefix: 1 to 32 printable bytes");
  }
  // A connection writes its own keys in turn, so that none has two writes on their way.
  const uint64_t least = options.put_percent > 0 || options.prepare
                             ? uint64_t{options.connections} * options.depth
                             : 1;
  constexpr uint64_t kKeysMax = 1'000'000;
  if (options.keys < least || options.keys > kKeysMax) {
    return Wrong(absl::StrCat("keys: ", least, " (connections x depth) to ", kKeysMax));
  }
  return absl::OkStatus();
}

}  // namespace pure::bench
