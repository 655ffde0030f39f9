#include "bench/store/soak_report.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bench/load/histogram.h"

namespace pure::bench {
namespace {

double Us(uint64_t ns) { return static_cast<double>(ns) / 1e3; }
double MiB(uint64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

std::string LatencyLine(const char* name, const Histogram& latency_ns) {
  return absl::StrFormat("%-24s %10d %9.1f %9.1f %9.1f %10.1f\n", name, latency_ns.count(),
                         Us(latency_ns.Quantile(0.5)), Us(latency_ns.Quantile(0.99)),
                         Us(latency_ns.Quantile(0.999)), Us(latency_ns.max()));
}

std::string LatencyJson(const Histogram& latency_ns) {
  return absl::StrFormat(
      "{\"commits\":%d,\"p50_us\":%.1f,\"p99_us\":%.1f,\"p999_us\":%.1f,\"max_us\":%.1f}",
      latency_ns.count(), Us(latency_ns.Quantile(0.5)), Us(latency_ns.Quantile(0.99)),
      Us(latency_ns.Quantile(0.999)), Us(latency_ns.max()));
}

Histogram All(const SoakReport& report) {
  Histogram all = report.compacting_ns;
  all.Merge(report.quiet_ns);
  return all;
}

}  // namespace

double SoakRatio(const SoakReport& report) {
  const uint64_t quiet_ns = report.quiet_ns.Quantile(0.99);
  if (quiet_ns == 0) return 0;
  return static_cast<double>(report.compacting_ns.Quantile(0.99)) / static_cast<double>(quiet_ns);
}

std::string SoakTable(const SoakOptions& options, const SoakReport& report) {
  std::string text = absl::StrFormat(
      "%d writes of %d bytes to %d keys by %d writers in %.1f s: %.0f commits/s, %d saves\n",
      report.writes, options.value_bytes, options.keys, options.writers, report.seconds,
      report.per_second(), report.counters.commit_groups);
  absl::StrAppendFormat(&text, "compaction: %d segments given back, %.1f MiB moved\n",
                        report.counters.compactions, MiB(report.counters.moved_bytes));
  absl::StrAppendFormat(&text, "\n%-24s %10s %9s %9s %9s %10s\n", "latency", "commits", "p50 us",
                        "p99 us", "p99.9 us", "max us");
  absl::StrAppend(&text, LatencyLine("all", All(report)),
                  LatencyLine("beside compaction", report.compacting_ns),
                  LatencyLine("without it", report.quiet_ns));
  const double ratio = SoakRatio(report);
  absl::StrAppend(&text, "p99 beside compaction, over that without it: ",
                  ratio > 0 ? absl::StrFormat("%.2f", ratio) : "not both measured", "\n");
  absl::StrAppendFormat(&text, "\n%-24s %12s %12s\n", "directory, MiB", "lengths", "on disk");
  absl::StrAppendFormat(&text, "%-24s %12.1f %12.1f\n", "peak", MiB(report.use.peak.file_bytes),
                        MiB(report.use.peak.disk_bytes));
  absl::StrAppendFormat(&text, "%-24s %12.1f %12.1f\n", "mean", MiB(report.use.mean.file_bytes),
                        MiB(report.use.mean.disk_bytes));
  absl::StrAppendFormat(&text, "live values %.1f MiB, bound %.1f MiB: %s\n",
                        MiB(report.counters.live_bytes), MiB(report.bound_bytes),
                        report.bounded() ? "kept" : "NOT KEPT");
  absl::StrAppend(&text, "values, revisions and every stored byte: ",
                  report.checks.ok() ? "right" : report.checks.ToString(), "\n");
  return text;
}

std::string SoakJson(const SoakOptions& options, const SoakReport& report) {
  const double ratio = SoakRatio(report);
  return absl::StrFormat(
      "{\"writes\":%d,\"seconds\":%.3f,\"commits_per_s\":%.0f,\"saves\":%d,\"writers\":%d,"
      "\"live_bytes\":%d,\"samples\":%d,\"peak_file_bytes\":%d,\"peak_disk_bytes\":%d,"
      "\"mean_file_bytes\":%d,\"mean_disk_bytes\":%d,\"bound_bytes\":%d,\"compactions\":%d,"
      "\"moved_bytes\":%d,\"written_bytes\":%d,\"all\":%s,\"compacting\":%s,\"quiet\":%s,"
      "\"p99_ratio\":%s,\"bounded\":%s,\"right\":%s,\"ok\":%s}",
      report.writes, report.seconds, report.per_second(), report.counters.commit_groups,
      options.writers, report.counters.live_bytes, report.use.samples, report.use.peak.file_bytes,
      report.use.peak.disk_bytes, report.use.mean.file_bytes, report.use.mean.disk_bytes,
      report.bound_bytes, report.counters.compactions, report.counters.moved_bytes,
      report.counters.written_bytes, LatencyJson(All(report)), LatencyJson(report.compacting_ns),
      LatencyJson(report.quiet_ns), ratio > 0 ? absl::StrFormat("%.3f", ratio) : "null",
      report.bounded() ? "true" : "false", report.checks.ok() ? "true" : "false",
      report.ok() ? "true" : "false");
}

}  // namespace pure::bench
