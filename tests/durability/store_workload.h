#pragma once

// StoreWorkload: a run of saves on an extent store over a simulated disk: bursts of several writes
// and erasures from two handles, splices that share what is stored, segment rolls, compaction,
// checkpoints and quiet moments with their background work step by step, clean closes, and ends
// without one.
//
// It notes in the journal what was tried and what was acknowledged, and in a StoreHistory what each
// save made. Calls of the disk may fail: then it goes on as far as the store lets it, within the
// life of one process.
//
// Thread: one thread's. Lifetime: borrows the disk and the history.

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "store/extent_store.h"
#include "store/simulated/simulated_disk.h"
#include "tests/durability/store_history.h"
#include "tests/testing/seeded_entropy.h"

namespace pure::durability {

// The label of marks that say which save is tried next.
inline constexpr Bytes kTriedMark = "tried";

struct WorkloadOptions {
  uint64_t seed = 1;
  int saves = 24;
  uint64_t segment_bytes = 32u << 10;
  uint64_t first_segment_bytes = 16u << 10;
  int close_every = 9;             // saves; then a clean close and a new opening
  int crash_every = 14;            // saves; then an end without a close, as if killed
  bool finish_background = false;  // after each save; else some steps of it
};

class StoreWorkload {
 public:
  StoreWorkload(store::SimulatedDisk* disk, StoreHistory* history, const WorkloadOptions& options);
  ~StoreWorkload();

  void Run();
  // One more save, as Run makes them. REQUIRES: the store is open.
  void SaveOnce() { SaveOnce(handles_[0].get()); }

  // ---- What became of it ----
  uint64_t acknowledged() const { return acknowledged_; }
  // The save whose outcome nobody knows; 0: none.
  uint64_t uncertain() const { return uncertain_; }
  int refused_saves() const { return refused_saves_; }
  // Segments that one of the openings gave back, at most.
  uint64_t compactions() const { return compactions_; }
  const absl::Status& open_status() const { return open_status_; }
  // A breach of the store's promises that showed at once; empty: none.
  const std::string& breach() const { return breach_; }
  // Open still, unless opening failed.
  store::ExtentStore* store() { return store_.get(); }
  void Kill();

 private:
  bool Open();
  bool Close();
  void SaveOnce(store::StoreHandle* handle);
  void Settle(store::StoreHandle* handle, Result result);
  void CheckReads();
  bool IsReadFault(const std::string& problem) const;
  void Upkeep();
  std::string NewValue();
  std::string Splice(store::StoreHandle* handle, const std::string& key, uint64_t base,
                     const std::string& old);

  store::SimulatedDisk* const disk_;
  StoreHistory* const history_;
  const WorkloadOptions options_;
  pure::testing::SeededEntropy random_;
  pure::testing::SeededEntropy entropy_;  // the store's own
  std::unique_ptr<store::ExtentStore> store_;
  std::unique_ptr<store::StoreHandle> handles_[2];
  uint64_t acknowledged_ = 0;
  uint64_t uncertain_ = 0;
  int refused_saves_ = 0;
  uint64_t compactions_ = 0;
  // Of the save at hand: what its pieces lie in.
  std::deque<store::Found> lent_;
  std::deque<std::string> new_bytes_;
  absl::Status open_status_;
  std::string breach_;
};

// The options that the workload opens with; `entropy` is borrowed.
store::ExtentStoreOptions StoreOptions(const WorkloadOptions& options, Entropy* entropy);

}  // namespace pure::durability
