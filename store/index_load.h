#pragma once

// IndexLoad: fills an index from the sealed frames of segments.
// Thread: one thread's. Lifetime: borrows the index; the segments live as long as the index refers
// to them.

#include <cstdint>

#include "absl/base/attributes.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "runtime/bytes.h"
#include "store/format.h"
#include "store/index.h"
#include "store/tail_scan.h"

namespace pure::store {

class IndexLoad {
 public:
  explicit IndexLoad(Index* index ABSL_ATTRIBUTE_LIFETIME_BOUND) : index_(index) {}

  // Adds the frames up to the record's end. In the order of the log. DataLoss: a bad frame; an
  // extent that lies in no segment added so far; a revision that does not grow.
  absl::Status Add(const LogSegment& segment);

 private:
  absl::Status AddFrame(const LogSegment& segment, const FrameHeader& header, Bytes entries);

  Index* const index_;
  absl::flat_hash_map<uint64_t, Segment*> segments_;  // by id
  std::vector<StoredExtent> extents_;                 // of the entry at hand
};

}  // namespace pure::store
