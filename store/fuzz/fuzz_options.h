#pragma once

// How fuzzers open stores: with segments so small that a few saves fill some. Thread: any.

#include "runtime/port.h"
#include "store/extent_store.h"

namespace pure::store {

// `entropy` is borrowed.
inline ExtentStoreOptions FuzzOptions(Entropy* entropy) {
  return {.segment_bytes = 16u << 10,
          .first_segment_bytes = 16u << 10,
          .save_bytes_max = 1u << 20,
          .entropy = entropy};
}

}  // namespace pure::store
