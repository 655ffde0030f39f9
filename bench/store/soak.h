#pragma once

// Soak: rewrites the same keys of a real store for long, and watches that the disk it takes stays
// bounded and how long a commit waits, beside compaction and without it.
//
// Cost: 16 bytes of memory a write, since a commit is told to be beside compaction only after the
// run.

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "bench/load/histogram.h"
#include "bench/store/directory_use.h"
#include "store/extent_store.h"
#include "store/store.h"

namespace pure::bench {

struct SoakOptions {
  std::string directory;  // of the store; empty or not there yet
  uint32_t keys = 1000;
  size_t value_bytes = 4096;
  uint64_t writes = 2'000'000;  // the first one of each key included
  double seconds = 600;         // writes no longer
  uint32_t writers = 4;         // threads; each has a handle and keys of its own
  uint64_t segment_bytes = 64u << 20;
  uint64_t bound_bytes = 0;  // of the directory; 0: three times the live bytes and two segments
  uint64_t seed = 1;
};

struct SoakReport {
  uint64_t writes = 0;
  double seconds = 0;
  uint64_t bound_bytes = 0;
  DirectoryUse use;               // while it was written
  store::StoreCounters counters;  // when the writers had ended
  Histogram compacting_ns;        // a write's Stage and Commit, beside compaction
  Histogram quiet_ns;             // the others
  absl::Status checks;            // DataLoss: the first byte or revision that is not what it was

  bool bounded() const { return use.peak.most() <= bound_bytes; }
  bool ok() const { return bounded() && checks.ok(); }
  double per_second() const { return seconds > 0 ? static_cast<double>(writes) / seconds : 0; }
};

// Writes, checks the newest value of each key, closes, opens again, verifies every byte of the
// store, and checks the values once more.
//
// A commit was beside compaction when the bytes that compaction moved grew at some time from 2 ms
// before its beginning to 2 ms after its end, as samples each millisecond saw it.
//
// InvalidArgument: the options. Others: the store can not be opened, a write failed.
absl::StatusOr<SoakReport> Soak(const SoakOptions& options);

// The key number `number`, and the value that its revision has.
std::string SoakKey(uint32_t number);
std::string SoakValue(const SoakOptions& options, uint32_t number, uint64_t revision);

// That each key has the revision and the bytes that it should. DataLoss: the first that has not.
absl::Status CheckSoak(const SoakOptions& options, absl::Span<const uint64_t> revisions,
                       store::ExtentStore* store);

}  // namespace pure::bench
