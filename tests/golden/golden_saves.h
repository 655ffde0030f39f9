#pragma once

// The saves that the golden stores hold, and what a reader must find of them. They never change:
// a later format gets files of its own.
//
// Thread: any; no state.

#include <cstdint>
#include <string>
#include <vector>

#include "store/extent_store.h"
#include "store/simulated/simulated_disk.h"

namespace pure::store {

// A key's newest state.
struct GoldenValue {
  std::string key;
  uint64_t revision = 0;
  bool present = true;
  std::string value;
};
std::vector<GoldenValue> GoldenValues();

// Makes the saves in a new store on `disk`: segments that were rolled, compacted and removed, a
// checkpoint, shared extents, an empty save, and one that nothing proves. `closed`: the store is
// closed at the end, else its process ends there.
void MakeGoldenStore(SimulatedDisk* disk, bool closed);

}  // namespace pure::store
