#pragma once

// DamageSubject: a store whose files are going to be damaged, with what it holds and what it held
// before.
//
// Thread: any; a value.

#include <cstdint>
#include <string>
#include <vector>

#include "store/extent_store.h"
#include "store/simulated/directory_files.h"
#include "store/simulated/disk_image.h"
#include "tests/durability/store_history.h"

namespace pure::durability {

// How the last run of the store ended.
enum class LastEnd : uint8_t { kClosed, kKilled };

// The newest frame of a store.
struct NewestFrame {
  std::string file;
  uint64_t begin = 0;  // bytes
  uint64_t end = 0;
  // The manifest says that it was saved. Else nothing on the disk tells it from one that was being
  // written when the process ended, as long as it does not hold.
  bool is_sealed = false;
};

struct DamageSubject {
  // After some save.
  struct Moment {
    store::DiskImage image;
    State state;
  };

  uint64_t segment_bytes = 0;
  LastEnd end = LastEnd::kClosed;
  store::DiskImage image;       // as the last run left it
  std::vector<Moment> moments;  // oldest first; the last two are around the newest save

  const State& newest() const { return moments.back().state; }
};

// 64 KiB in all its segments: values of 0 to 5000 bytes, one that shares bytes with an older one,
// an erasure, a repair; sealed and open segments.
DamageSubject SmallSubject(LastEnd end);
// 16 MiB in all its segments; of the older moments only a few.
DamageSubject LargeSubject(LastEnd end);

// REQUIRES: the files are whole.
NewestFrame NewestFrameOf(const store::DirectoryFiles& files);

// To open a subject with; `entropy` is borrowed.
store::ExtentStoreOptions OptionsOf(const DamageSubject& subject, Entropy* entropy);

}  // namespace pure::durability
