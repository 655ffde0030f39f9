#pragma once

// IndexLoad: fills an index from the sealed frames of segments.
// Thread: one thread's. Lifetime: borrows the index; the segments live as long as the index refers
// to them.

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "runtime/bytes.h"
#include "store/checkpoint_reader.h"
#include "store/format.h"
#include "store/index.h"
#include "store/tail_scan.h"

namespace pure::store {

class IndexLoad {
 public:
  // `read` is called with the bytes of each frame and of parts of a checkpoint.
  IndexLoad(Index* index ABSL_ATTRIBUTE_LIFETIME_BOUND, std::function<void(uint64_t bytes)> read)
      : index_(index), read_(std::move(read)) {}

  // Makes a segment known; all that entries may name, before anything is added.
  void Know(Segment* segment) { segments_[segment->id()] = segment; }
  // Adds what a checkpoint says. False: it does not hold; the index is empty again.
  bool AddCheckpoint(CheckpointReader* checkpoint);
  // Adds the frames up to the record's end. DataLoss: a bad frame; an extent outside of its
  // segment.
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
  Segment* Find(uint64_t segment) const;
  // Adds it to extents_. False: it lies outside of its segment.
  bool Resolve(const DiskExtent& extent);
  // With extents_. `place`: of the entry.
  Result Load(Bytes key, Index::LoadedVersion version, const Place& place);

  Index* const index_;
  const std::function<void(uint64_t bytes)> read_;
  absl::flat_hash_map<uint64_t, Segment*> segments_;  // by id
  std::vector<StoredExtent> extents_;                 // of the entry at hand
  // Keys whose newest version so far lacks a segment, with the frame that says so. A compaction
  // that gave the segment back has written the version again, further on.
  absl::flat_hash_map<std::string, Place> incomplete_;
};

}  // namespace pure::store
