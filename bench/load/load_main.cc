// load: loads an HTTP/1.1 server on loopback and reports requests/s, latency and processor time.
//
//   load --port=8767 --put_percent=10 --connections=50 --seconds=3 --server_process_ids=1234
//   load --port=80 --path=/page --connections=50 --depth=16
//
// Exit status: 0 loaded; 1 it could not, or with --strict an answer was wrong, lost or unexpected;
// 2 wrong usage.

#include <cstdio>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "bench/load/load.h"
#include "bench/load/load_options.h"
#include "bench/load/load_report.h"

ABSL_FLAG(std::string, address, "127.0.0.1", "loopback address of the server: 127.x.y.z or ::1");
ABSL_FLAG(uint16_t, port, 0, "its TCP port");
ABSL_FLAG(uint32_t, connections, 50, "connections at once");
ABSL_FLAG(uint32_t, depth, 1, "requests that a connection keeps on their way");
ABSL_FLAG(double, seconds, 3, "time to send for");
ABSL_FLAG(uint64_t, requests, 0, "requests to send at most; 0: as many as the time allows");
ABSL_FLAG(std::vector<std::string>, server_process_ids, {},
          "processes whose processor time is measured, with commas");
ABSL_FLAG(std::string, path, "", "one fixed path, of any server; empty: documents");
ABSL_FLAG(std::string, method, "GET",
          "method for --path; others than GET send a body of --value_bytes");
ABSL_FLAG(std::string, key_prefix, "load", "how the documents' keys begin");
ABSL_FLAG(uint32_t, keys, 1000, "number of documents");
ABSL_FLAG(uint32_t, put_percent, 0, "share of PUT among the requests; the others are GET");
ABSL_FLAG(uint64_t, value_bytes, 1500, "size of a document or body");
ABSL_FLAG(bool, prepare, true, "write each document once before anything is measured");
ABSL_FLAG(uint64_t, seed, 1, "of the random choice of requests and keys");
ABSL_FLAG(std::string, name, "load", "the report's name");
ABSL_FLAG(bool, head, true, "print the head of the table");
ABSL_FLAG(bool, strict, false, "fail when an answer is wrong, lost or unexpected");
ABSL_FLAG(std::string, json, "",
          "file to write the report to as JSON; -: standard output, instead of the table");

namespace pure::bench {
namespace {

constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;

// False: a process id is not a number.
bool TakeFlags(LoadOptions* options) {
  options->address = absl::GetFlag(FLAGS_address);
  options->port = absl::GetFlag(FLAGS_port);
  options->connections = absl::GetFlag(FLAGS_connections);
  options->depth = absl::GetFlag(FLAGS_depth);
  options->seconds = absl::GetFlag(FLAGS_seconds);
  options->requests = absl::GetFlag(FLAGS_requests);
  options->path = absl::GetFlag(FLAGS_path);
  options->method = absl::GetFlag(FLAGS_method);
  options->key_prefix = absl::GetFlag(FLAGS_key_prefix);
  options->keys = absl::GetFlag(FLAGS_keys);
  options->put_percent = absl::GetFlag(FLAGS_put_percent);
  options->value_bytes = absl::GetFlag(FLAGS_value_bytes);
  options->prepare = absl::GetFlag(FLAGS_prepare);
  options->seed = absl::GetFlag(FLAGS_seed);
  for (const std::string& text : absl::GetFlag(FLAGS_server_process_ids)) {
    int process_id = 0;
    if (!absl::SimpleAtoi(text, &process_id) || process_id <= 0) return false;
    options->server_process_ids.push_back(process_id);
  }
  return true;
}

bool Write(const std::string& path, const std::string& text) {
  std::FILE* const file = path == "-" ? stdout : std::fopen(path.c_str(), "we");
  if (file == nullptr) return false;
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool flushed = (file == stdout ? std::fflush(file) : std::fclose(file)) == 0;
  return written && flushed;
}

int Fail(int exit_status, std::string_view message) {
  std::fprintf(stderr, "load: %.*s\n", static_cast<int>(message.size()), message.data());
  return exit_status;
}

int Main() {
  LoadOptions options;
  if (!TakeFlags(&options))
    return Fail(kExitUsage, "server_process_ids: numbers with commas between");
  if (const absl::Status status = CheckLoadOptions(options); !status.ok())
    return Fail(kExitUsage, status.message());
  Load load(options);
  const absl::StatusOr<LoadReport> report = load.Run();
  if (!report.ok()) {
    const bool usage = report.status().code() == absl::StatusCode::kInvalidArgument;
    return Fail(usage ? kExitUsage : kExitFailed, report.status().message());
  }
  const std::string name = absl::GetFlag(FLAGS_name);
  const std::string json_path = absl::GetFlag(FLAGS_json);
  if (json_path != "-") {
    const std::string head = absl::GetFlag(FLAGS_head) ? TableHead() + "\n" : "";
    if (!Write("-", absl::StrCat(head, TableLine(name, *report), "\n"))) return kExitFailed;
  }
  if (!json_path.empty() && !Write(json_path, ReportJson(name, options, *report) + "\n")) {
    return Fail(kExitFailed, absl::StrCat(json_path, " can not be written"));
  }
  const bool clean = report->wrong == 0 && report->lost == 0 && UnexpectedAnswers(*report) == 0;
  return absl::GetFlag(FLAGS_strict) && !clean
             ? Fail(kExitFailed, "answers were wrong, lost or unexpected")
             : 0;
}

}  // namespace
}  // namespace pure::bench

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage("loads an HTTP/1.1 server on loopback; see --help=main");
  if (absl::ParseCommandLine(argc, argv).size() > 1) {
    return pure::bench::Fail(pure::bench::kExitUsage, "takes flags only");
  }
  return pure::bench::Main();
}
