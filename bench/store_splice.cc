// store_splice: what 10 bytes more in the middle or at the end of a large document cost, beside a
// plain write of 100 bytes: bytes written to the log, and time.
//
//   store_splice --directory=/var/tmp/splice --sizes=4096,1048576,67108864
//   store_splice --directory=/var/tmp/splice --sizes=1073741824
//
// For a document of N bytes the store is made in DIRECTORY-N. It prints a table and, for each size,
// a line of JSON. Exit status: 0 measured, and read back right; 1 not; 2 wrong usage.

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
#include "bench/load/histogram.h"
#include "bench/store/splice_cost.h"

ABSL_FLAG(std::string, directory, "",
          "how the stores' directories begin; each an empty or a new one");
ABSL_FLAG(std::vector<std::string>, sizes,
          (std::vector<std::string>{"4096", "1048576", "67108864"}),
          "sizes of the documents in bytes, with commas");
ABSL_FLAG(uint64_t, append_bytes, 16u << 20, "what each save adds while a document is made");
ABSL_FLAG(uint32_t, rounds, 1000, "plain writes, splices and appends to each document");

namespace pure::bench {
namespace {

constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;

double Us(uint64_t ns) { return static_cast<double>(ns) / 1e3; }

// Median time over that of the plain write.
double Ratio(const WriteCost& cost, const WriteCost& put) {
  const uint64_t put_ns = put.ns.Quantile(0.5);
  return put_ns == 0 ? 0 : static_cast<double>(cost.ns.Quantile(0.5)) / static_cast<double>(put_ns);
}

void PrintTableHead() {
  std::printf("%12s %-7s %8s %10s %10s %10s %12s %12s\n", "document B", "write", "count", "p50 us",
              "p99 us", "over put", "mean B", "most B");
}

void PrintLine(uint64_t document_bytes, const char* name, const WriteCost& cost,
               const WriteCost& put) {
  std::printf("%12llu %-7s %8llu %10.1f %10.1f %10.2f %12.0f %12llu\n",
              static_cast<unsigned long long>(document_bytes), name,
              static_cast<unsigned long long>(cost.ns.count()), Us(cost.ns.Quantile(0.5)),
              Us(cost.ns.Quantile(0.99)), Ratio(cost, put), cost.frame_bytes.mean(),
              static_cast<unsigned long long>(cost.frame_bytes.max()));
}

std::string CostJson(const WriteCost& cost, const WriteCost& put) {
  return absl::StrFormat(
      "{\"count\":%d,\"p50_us\":%.1f,\"p99_us\":%.1f,\"over_put\":%.3f,"
      "\"written_bytes_mean\":%.0f,\"written_bytes_max\":%d}",
      cost.ns.count(), Us(cost.ns.Quantile(0.5)), Us(cost.ns.Quantile(0.99)), Ratio(cost, put),
      cost.frame_bytes.mean(), cost.frame_bytes.max());
}

// Rows of the table, and a line of JSON behind them.
void Print(uint64_t document_bytes, const SpliceCostReport& report) {
  PrintLine(document_bytes, "put", report.put, report.put);
  PrintLine(document_bytes, "splice", report.splice, report.put);
  PrintLine(document_bytes, "append", report.append, report.put);
  std::printf("%12s spans of the document: %zu; read back: %s\n", "", report.spans,
              report.right ? "right" : "WRONG");
  absl::PrintF(
      "{\"document_bytes\":%d,\"put\":%s,\"splice\":%s,\"append\":%s,\"spans\":%d,\"right\":%s}\n",
      document_bytes, CostJson(report.put, report.put), CostJson(report.splice, report.put),
      CostJson(report.append, report.put), report.spans, report.right ? "true" : "false");
}

int Fail(int exit_status, const std::string& message) {
  std::fprintf(stderr, "store_splice: %s\n", message.c_str());
  return exit_status;
}

int Main() {
  if (absl::GetFlag(FLAGS_directory).empty()) return Fail(kExitUsage, "directory: name one");
  PrintTableHead();
  bool right = true;
  for (const std::string& text : absl::GetFlag(FLAGS_sizes)) {
    SpliceCostOptions options{.directory = absl::StrCat(absl::GetFlag(FLAGS_directory), "-", text),
                              .rounds = absl::GetFlag(FLAGS_rounds),
                              .append_bytes = absl::GetFlag(FLAGS_append_bytes)};
    if (!absl::SimpleAtoi(text, &options.document_bytes)) {
      return Fail(kExitUsage, "sizes: numbers with commas between");
    }
    const absl::StatusOr<SpliceCostReport> report = MeasureSpliceCost(options);
    if (!report.ok()) {
      const bool usage = report.status().code() == absl::StatusCode::kInvalidArgument;
      return Fail(usage ? kExitUsage : kExitFailed,
                  absl::StrCat(text, " bytes: ", report.status().ToString()));
    }
    Print(options.document_bytes, *report);
    right = right && report->right;
  }
  return right ? 0 : kExitFailed;
}

}  // namespace
}  // namespace pure::bench

int main(int count, char** arguments) {
  absl::SetProgramUsageMessage("measures small changes of large documents; --help=main");
  if (absl::ParseCommandLine(count, arguments).size() > 1) {
    return pure::bench::Fail(pure::bench::kExitUsage, "takes flags only");
  }
  return pure::bench::Main();
}
