#pragma once

// IndexLoad: fills an index from the sealed frames of segments.
// Thread: one thread's. Lifetime: borrows the index; the segments live as long as the index refers
// to them.

#include <cstdint>
#include <string>
#include <vector>

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
  // extent outside of its segment.
  absl::Status Add(const LogSegment& segment);
  // After the last one. DataLoss: the newest version of a key has an extent in a segment that is
  // not there.
  absl::Status Finish() const;

 private:
  struct Place {
    uint64_t segment = 0;
    uint64_t offset = 0;
  };

  absl::Status AddFrame(const LogSegment& segment, const FrameHeader& header, Bytes entries);
  // False: it lies outside of its segment. A segment that is not there makes *complete false.
  bool Resolve(const EntryView& entry, bool* complete);

  Index* const index_;
  absl::flat_hash_map<uint64_t, Segment*> segments_;  // by id
  std::vector<StoredExtent> extents_;                 // of the entry at hand
  // Keys whose newest version so far lacks a segment, with the frame that says so. A compaction
  // that gave the segment back has written the version again, further on.
  absl::flat_hash_map<std::string, Place> incomplete_;
};

}  // namespace pure::store
