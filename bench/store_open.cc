// store_open: makes stores of many keys and tells what opening one takes: time after a clean stop
// and after a kill, memory and disk a key.
//
//   store_open --directory=/var/tmp/open --keys=1000000 --value_bytes=100,4096
//
// For values of N bytes the store is made in DIRECTORY-N. It prints a table and, for each size, a
// line of JSON. Exit status: 0 measured; 1 it could not; 2 wrong usage.

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bench/store/open_cost.h"

ABSL_FLAG(std::string, directory, "",
          "how the stores' directories begin; each an empty or a new one");
ABSL_FLAG(uint64_t, keys, 1'000'000, "number of keys, of 16 bytes each");
ABSL_FLAG(std::vector<std::string>, value_bytes, (std::vector<std::string>{"100", "4096"}),
          "sizes of the values, with commas");
ABSL_FLAG(uint32_t, opens, 5, "how often each kind of opening is measured");

namespace pure::bench {
namespace {

constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;

double Ms(int64_t ns) { return static_cast<double>(ns) / 1e6; }

void PrintTableHead() {
  std::printf("%10s %12s %10s %12s %12s %10s %10s %12s\n", "value B", "open ms", "kill ms",
              "repaired MiB", "resident B/k", "own B/k", "index B/k", "disk B/k");
}

// Rows of the table, and a line of JSON behind them.
void Print(const OpenCostOptions& options, const OpenCostReport& report) {
  const double keys = static_cast<double>(options.keys);
  const Opening& closed = report.closed.back();
  const double repaired_bytes = static_cast<double>(report.killed.back().repaired_bytes);
  const double resident = static_cast<double>(closed.grown.all()) / keys;
  const double own = static_cast<double>(closed.grown.own_bytes) / keys;
  const double index = static_cast<double>(closed.index_bytes) / keys;
  const double disk = static_cast<double>(report.disk.disk_bytes) / keys;
  std::printf("%10zu %12.1f %10.1f %12.1f %12.1f %10.1f %10.1f %12.1f\n", options.value_bytes,
              Ms(MedianNs(report.closed)), Ms(MedianNs(report.killed)), repaired_bytes / (1 << 20),
              resident, own, index, disk);
  absl::PrintF(
      "{\"keys\":%d,\"value_bytes\":%d,\"opens\":%d,\"make_seconds\":%.3f,\"open_ms\":%.3f,"
      "\"open_after_kill_ms\":%.3f,\"repaired_bytes\":%.0f,\"resident_bytes_per_key\":%.1f,"
      "\"own_bytes_per_key\":%.1f,\"index_bytes_per_key\":%.1f,\"file_bytes\":%d,"
      "\"disk_bytes\":%d}\n",
      options.keys, options.value_bytes, options.opens, report.make_seconds,
      Ms(MedianNs(report.closed)), Ms(MedianNs(report.killed)), repaired_bytes, resident, own,
      index, report.disk.file_bytes, report.disk.disk_bytes);
}

int Fail(int exit_status, const std::string& message) {
  std::fprintf(stderr, "store_open: %s\n", message.c_str());
  return exit_status;
}

int Main() {
  if (absl::GetFlag(FLAGS_directory).empty()) return Fail(kExitUsage, "directory: name one");
  PrintTableHead();
  for (const std::string& text : absl::GetFlag(FLAGS_value_bytes)) {
    OpenCostOptions options{.directory = absl::StrCat(absl::GetFlag(FLAGS_directory), "-", text),
                            .keys = absl::GetFlag(FLAGS_keys),
                            .opens = absl::GetFlag(FLAGS_opens)};
    if (!absl::SimpleAtoi(text, &options.value_bytes)) {
      return Fail(kExitUsage, "value_bytes: numbers with commas between");
    }
    const absl::StatusOr<OpenCostReport> report = MeasureOpenCost(options);
    if (!report.ok()) {
      const bool usage = report.status().code() == absl::StatusCode::kInvalidArgument;
      return Fail(usage ? kExitUsage : kExitFailed, report.status().ToString());
    }
    Print(options, *report);
  }
  return 0;
}

}  // namespace
}  // namespace pure::bench

int main(int count, char** arguments) {
  absl::SetProgramUsageMessage("measures what opening a store of many keys takes; --help=main");
  if (absl::ParseCommandLine(count, arguments).size() > 1) {
    return pure::bench::Fail(pure::bench::kExitUsage, "takes flags only");
  }
  return pure::bench::Main();
}
