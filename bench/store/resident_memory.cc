#include "bench/store/resident_memory.h"

#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace pure::bench {
namespace {

// The field of a line such as "RssAnon:     1234 kB".
std::optional<uint64_t> Field(std::string_view status, std::string_view name) {
  for (std::string_view line : absl::StrSplit(status, '\n')) {
    uint64_t kib = 0;
    if (absl::ConsumePrefix(&line, name) && absl::ConsumeSuffix(&line, " kB") &&
        absl::SimpleAtoi(line, &kib)) {
      return kib * 1024;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<ResidentMemory> ReadResidentMemory() {
  std::ifstream file("/proc/self/status");
  return ParseResidentMemory(
      std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()));
}

std::optional<ResidentMemory> ParseResidentMemory(std::string_view status) {
  const std::optional<uint64_t> own = Field(status, "RssAnon:");
  const std::optional<uint64_t> file = Field(status, "RssFile:");
  if (!own || !file) return std::nullopt;
  return ResidentMemory{.own_bytes = *own, .file_bytes = *file};
}

}  // namespace pure::bench
