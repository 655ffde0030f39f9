#include "bench/load/load_report.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace pure::bench {
namespace {

double Us(uint64_t ns) { return static_cast<double>(ns) / 1e3; }

std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out.push_back('\\');
    out.push_back(c >= ' ' && c <= '~' ? c : '?');
  }
  return out;
}

std::string Statuses(const LoadReport& report, std::string_view around) {
  return absl::StrJoin(report.statuses, ",", [around](std::string* out, const auto& one) {
    absl::StrAppend(out, around, one.first, around, ":", one.second);
  });
}

}  // namespace

std::string TableHead() {
  return absl::StrFormat("%-24s %10s %9s %9s %9s %9s %10s %10s %7s  %s", "load", "requests/s",
                         "p50 us", "p90 us", "p99 us", "max us", "server us", "client us", "lost",
                         "statuses");
}

std::string TableLine(std::string_view name, const LoadReport& report) {
  const Histogram& latency = report.latency_ns;
  const std::string server_us =
      report.server_cpu_us < 0 ? std::string("-") : absl::StrFormat("%.2f", report.server_cpu_us);
  return absl::StrFormat("%-24s %10.0f %9.1f %9.1f %9.1f %9.1f %10s %10.2f %7d  %s", name,
                         report.per_second(), Us(latency.Quantile(0.5)), Us(latency.Quantile(0.9)),
                         Us(latency.Quantile(0.99)), Us(latency.max()), server_us,
                         report.client_cpu_us, report.lost, Statuses(report, ""));
}

std::string ReportJson(std::string_view name, const LoadOptions& options,
                       const LoadReport& report) {
  const Histogram& latency = report.latency_ns;
  return absl::StrFormat(
      "{\"name\":\"%s\",\"connections\":%d,\"depth\":%d,\"value_bytes\":%d,\"put_percent\":%d,"
      "\"seconds\":%.3f,"
      "\"requests\":%d,\"requests_per_s\":%.0f,\"gets\":%d,\"puts\":%d,\"statuses\":{%s},"
      "\"unexpected\":%d,"
      "\"wrong\":%d,\"lost\":%d,\"sent_in_all\":%d,\"connected_in_all\":%d,\"p50_us\":%.1f,\"p90_"
      "us\":%.1f,"
      "\"p99_us\":%.1f,\"p999_us\":%.1f,\"max_us\":%.1f,\"mean_us\":%.1f,\"server_cpu_us\":%s,"
      "\"client_cpu_us\":%.3f}",
      Escaped(name), options.connections, options.depth, options.value_bytes, options.put_percent,
      report.seconds, report.answered(), report.per_second(), report.gets, report.puts,
      Statuses(report, "\""), UnexpectedAnswers(report), report.wrong, report.lost,
      report.sent_in_all, report.connected_in_all, Us(latency.Quantile(0.5)),
      Us(latency.Quantile(0.9)), Us(latency.Quantile(0.99)), Us(latency.Quantile(0.999)),
      Us(latency.max()), latency.mean() / 1e3,
      report.server_cpu_us < 0 ? std::string("null")
                               : absl::StrFormat("%.3f", report.server_cpu_us),
      report.client_cpu_us);
}

uint64_t UnexpectedAnswers(const LoadReport& report) {
  uint64_t count = 0;
  for (const auto& [status, answers] : report.statuses) {
    switch (status) {
      case 200:
      case 404:
      case 412:
      case 503:
      case 507:
        break;
      default:
        count += answers;
    }
  }
  return count;
}

}  // namespace pure::bench
