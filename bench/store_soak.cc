// store_soak: rewrites keys of a store for long, and tells whether its directory stayed bounded,
// how long a commit waited beside compaction, and whether every byte is right afterwards.
//
//   store_soak --directory=/var/tmp/soak --writes=2000000 --seconds=600
//
// It prints a table and a line of JSON. Exit status: 0 bounded and right; 1 not, or the store
// failed; 2 wrong usage.

#include <cstdio>
#include <string>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bench/store/soak.h"
#include "bench/store/soak_report.h"

ABSL_FLAG(std::string, directory, "", "of the store: an empty or a new one");
ABSL_FLAG(uint32_t, keys, 1000, "number of keys");
ABSL_FLAG(uint64_t, value_bytes, 4096, "size of each value");
ABSL_FLAG(uint64_t, writes, 2'000'000, "commits to make at most, of one write each");
ABSL_FLAG(double, seconds, 600, "time to write for at most");
ABSL_FLAG(uint32_t, writers, 4, "threads that write");
ABSL_FLAG(uint64_t, segment_bytes, 64u << 20, "length of a segment file");
ABSL_FLAG(uint64_t, bound_bytes, 0,
          "what the directory may take; 0: three times the live bytes and two segments");
ABSL_FLAG(uint64_t, seed, 1, "of the values and of the order of the keys");

namespace pure::bench {
namespace {

constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;

int Main() {
  const SoakOptions options{.directory = absl::GetFlag(FLAGS_directory),
                            .keys = absl::GetFlag(FLAGS_keys),
                            .value_bytes = absl::GetFlag(FLAGS_value_bytes),
                            .writes = absl::GetFlag(FLAGS_writes),
                            .seconds = absl::GetFlag(FLAGS_seconds),
                            .writers = absl::GetFlag(FLAGS_writers),
                            .segment_bytes = absl::GetFlag(FLAGS_segment_bytes),
                            .bound_bytes = absl::GetFlag(FLAGS_bound_bytes),
                            .seed = absl::GetFlag(FLAGS_seed)};
  const absl::StatusOr<SoakReport> report = Soak(options);
  if (!report.ok()) {
    std::fprintf(stderr, "store_soak: %s\n", report.status().ToString().c_str());
    return report.status().code() == absl::StatusCode::kInvalidArgument ? kExitUsage : kExitFailed;
  }
  std::printf("%s\n%s\n", SoakTable(options, *report).c_str(), SoakJson(options, *report).c_str());
  return report->ok() ? 0 : kExitFailed;
}

}  // namespace
}  // namespace pure::bench

int main(int count, char** arguments) {
  absl::SetProgramUsageMessage("rewrites keys of a store and watches its directory; --help=main");
  if (absl::ParseCommandLine(count, arguments).size() > 1) {
    std::fprintf(stderr, "store_soak: takes flags only\n");
    return pure::bench::kExitUsage;
  }
  return pure::bench::Main();
}
