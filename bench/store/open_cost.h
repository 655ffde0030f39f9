#pragma once

// OpenCost: what opening a large store takes: time after a clean stop and after a kill, memory and
// disk a key.
//
// Each opening happens in a process of its own, so that its memory is what opening took.
// Thread: REQUIRES that the process has no other thread.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "bench/store/directory_use.h"
#include "bench/store/resident_memory.h"

namespace pure::bench {

struct OpenCostOptions {
  std::string directory;      // of the store; empty or not there yet
  uint64_t keys = 1'000'000;  // of 16 bytes
  size_t value_bytes = 100;
  uint32_t opens = 5;          // of each kind
  uint32_t tail_saves = 1000;  // of one key each, that a process makes before it is killed
};

// One opening, with the page cache warm.
struct Opening {
  int64_t ns = 0;
  ResidentMemory grown;         // by what the process grew
  uint64_t index_bytes = 0;     // StoreCounters::index_bytes
  uint64_t repaired_bytes = 0;  // copied, since the last run did not close
};

struct OpenCostReport {
  double make_seconds = 0;
  std::vector<Opening> killed;  // after a process that ended without Close
  std::vector<Opening> closed;  // after a clean stop
  DirectorySize disk;           // after a clean stop
};

// Writes all keys with large saves. Then opens, rewrites some keys and ends without Close, again
// and again; then opens and closes as often. The first opening of each kind does not count.
//
// InvalidArgument: the options. DataLoss: an opened store has not the keys that were written.
// Others: as opening, or the save that failed.
absl::StatusOr<OpenCostReport> MeasureOpenCost(const OpenCostOptions& options);

// The median of the times. REQUIRES: there is one.
int64_t MedianNs(const std::vector<Opening>& openings);

}  // namespace pure::bench
