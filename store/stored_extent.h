#pragma once

// StoredExtent: an extent whose segment is open.

#include <cstdint>

namespace pure::store {

class Segment;

struct StoredExtent {
  Segment* segment = nullptr;  // null in the index: its segment is gone (see Index::Load)
  uint64_t offset = 0;
  uint32_t length = 0;
  uint32_t checksum = 0;  // bound to its place (format.h)
};

}  // namespace pure::store
