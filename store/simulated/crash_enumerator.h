#pragma once

// CrashEnumerator: what a crash at any instant of a journal may leave on the disk, image by image.
//
// Crash points are the boundaries between operations, and places inside each write. At a boundary
// the visitor gets the image of a process kill and those of a power cut: nothing unsynced survives,
// all does, and subsets of the unsettled changes: every one while they are few, else every prefix,
// every single loss and random ones; then some with torn sectors, and some with garbage where
// nothing was durably written. Inside a write a kill leaves its first bytes. A power cut there
// needs no image of its own: it leaves what one after the write may leave.
//
// Cost: an image takes a pointer a file and a page for each page in doubt; a few microseconds.
// Method: ALICE (Pillai et al., OSDI 2014); SQLite's and LevelDB's fault injection tests.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "store/simulated/disk_image.h"
#include "store/simulated/simulated_disk.h"

namespace pure::store {

struct CrashOptions {
  bool kills = true;
  bool power_cuts = true;
  size_t kill_cuts_max = 16;  // inside one write; every byte if it has no more, else sector edges
  size_t exhaustive_changes = 8;  // up to so many unsettled changes: all subsets (2^8)
  size_t prefixes_max = 64;       // beyond that: evenly spread when there are more
  size_t single_losses_max = 64;
  size_t random_subsets = 64;
  size_t torn_images = 2;     // at boundaries with unsettled changes
  size_t garbage_images = 1;  // at every boundary
  uint64_t seed = 1;
  // Only every boundary whose number leaves `shard` when divided by `shards`, and its write.
  size_t shard = 0;
  size_t shards = 1;
};

// Where and how; valid during the visit.
struct CrashPoint {
  const DiskJournal* journal = nullptr;
  size_t operations_done = 0;  // of the journal
  uint64_t written_bytes = 0;  // of the next operation, a write; 0: the boundary before it
  uint64_t acknowledged = 0;   // the newest acknowledged mark up to here; 0: none
  bool power_cut = false;      // else a kill
  bool torn_edges = false;
  bool garbage = false;
  const std::vector<bool>* survives = nullptr;  // power cut: by unsettled change

  // For a failure's message: what replays it.
  std::string Describe() const;
};

struct CrashCounts {
  uint64_t crash_points = 0;
  uint64_t images = 0;
};

class CrashEnumerator final {
 public:
  // Returns false to stop.
  using Visitor = absl::FunctionRef<bool(const CrashPoint& point, const DiskImage& image)>;

  // Borrows the journal.
  explicit CrashEnumerator(const DiskJournal& journal, const CrashOptions& options = {});

  // The same journal and options give the same visits in the same order.
  CrashCounts ForEach(Visitor visit) const;

 private:
  class Run;

  const DiskJournal& journal_;
  const CrashOptions options_;
};

}  // namespace pure::store
