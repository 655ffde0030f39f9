#pragma once

// SpliceCost: what a small change of a large document costs a real store: bytes written and time,
// beside a plain write of 100 bytes in the same run.

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "bench/load/histogram.h"

namespace pure::bench {

struct SpliceCostOptions {
  std::string directory;  // of the store; empty or not there yet
  uint64_t document_bytes = 1u << 20;
  uint32_t rounds = 1000;           // of one plain write, one splice and one append each
  size_t append_bytes = 16u << 20;  // what each save adds while the document is made
};

// Of one kind of write.
struct WriteCost {
  Histogram ns;           // finding, staging and committing
  Histogram frame_bytes;  // written to the log from its beginning to its end, by the background too
};

struct SpliceCostReport {
  WriteCost put;       // 100 bytes to a key of its own
  WriteCost splice;    // 10 bytes in the document's middle, always at the same place
  WriteCost append;    // 10 bytes at its end
  size_t spans = 0;    // of the document at the end
  bool right = false;  // it was read back and is what it should be
};

// Makes the document, changes it, and reads it back.
// InvalidArgument: the options. Others: as opening, or the write that failed.
absl::StatusOr<SpliceCostReport> MeasureSpliceCost(const SpliceCostOptions& options);

}  // namespace pure::bench
