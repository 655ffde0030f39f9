#pragma once

// What a load loop is to do, and what came of it.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "bench/load/histogram.h"

namespace pure::bench {

struct LoadOptions {
  std::string address = "127.0.0.1";  // 127.0.0.0/8 or ::1; others are refused
  uint16_t port = 0;
  uint32_t connections = 50;
  uint32_t depth = 1;                   // requests that a connection keeps on their way
  double seconds = 3;                   // sends no longer; at most kSecondsMax
  uint64_t requests = 0;                // sends no more; 0: time alone decides
  std::vector<int> server_process_ids;  // whose processor time is measured; empty: none

  // One fixed request, for any server. Empty path: documents instead.
  std::string path;
  std::string method = "GET";  // others send value_bytes as their body

  // Documents: keys PREFIX-000000 and on; each is written by one connection only, so every
  // condition can hold.
  std::string key_prefix = "load";
  uint32_t keys = 1000;
  uint32_t put_percent = 0;  // of the requests, the others are GET
  size_t value_bytes = 1500;
  bool prepare = true;  // writes each key once before anything is measured
  uint64_t seed = 1;

  static constexpr double kSecondsMax = 600;
  static constexpr uint32_t kConnectionsMax = 20'000;
  static constexpr uint32_t kDepthMax = 1024;
  static constexpr size_t kValueBytesMax = 64u << 20;
};

// InvalidArgument: which option is out of bounds, and what is allowed.
absl::Status CheckLoadOptions(const LoadOptions& options);

struct LoadReport {
  double seconds = 0;  // from the first request to the last answer
  uint64_t gets = 0;   // answered requests
  uint64_t puts = 0;   // of all methods but GET
  std::map<int, uint64_t> statuses;
  uint64_t wrong = 0;             // 200 with a value of another key, revision or size
  uint64_t lost = 0;              // requests whose connection ended before their answer
  uint64_t sent_in_all = 0;       // requests, those of the preparation included
  uint64_t connected_in_all = 0;  // connections, those of the preparation included
  Histogram
      latency_ns;  // from when a request is handed to its connection, to its answer's last byte
  double client_cpu_us = 0;   // a request
  double server_cpu_us = -1;  // a request; negative: not measured

  uint64_t answered() const { return gets + puts; }
  double per_second() const { return seconds > 0 ? static_cast<double>(answered()) / seconds : 0; }
};

}  // namespace pure::bench
