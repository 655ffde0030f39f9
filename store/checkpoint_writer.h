#pragma once

// CheckpointWriter: writes a checkpoint of an index, one block a step, while commits go on.
//
// What is newer than `covers_seq` is left out: its frames are read at the next opening. So it does
// not matter when which shard is looked at.
//
// Thread: one at a time. Lifetime: borrows all. After a failure the file is to be abandoned.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/container/flat_hash_map.h"
#include "runtime/bytes.h"
#include "store/checkpoint_format.h"
#include "store/files.h"
#include "store/index.h"
#include "store/io_failure.h"

namespace pure::store {

class CheckpointWriter {
 public:
  CheckpointWriter(const Index* index ABSL_ATTRIBUTE_LIFETIME_BOUND,
                   Directory* directory ABSL_ATTRIBUTE_LIFETIME_BOUND, const StoreUuid& uuid,
                   uint64_t id, uint64_t covers_seq);

  // One block; the last step makes the file durable, but for its name in the directory.
  IoFailure Step();
  bool done() const { return done_; }
  // Removes what was written, if it can. Not after a failed sync.
  void Abandon();

  uint64_t id() const { return header_.id; }
  uint64_t covers_seq() const { return header_.covers_seq; }
  // Of the file. REQUIRES: done().
  uint64_t size_bytes() const { return end_; }

 private:
  void Add(Bytes key, const Index::StoredVersion& version);
  uint32_t NumberOf(const Segment* segment);
  IoError WriteBlock();
  IoError WriteEnd();

  const Index* const index_;
  Directory* const directory_;
  CheckpointHeader header_;
  const std::string name_;
  std::unique_ptr<File> file_;
  size_t shard_ = 0;
  bool done_ = false;
  uint64_t end_ = kCheckpointHeaderBytes;
  std::vector<char> body_;
  uint32_t body_versions_ = 0;
  std::vector<CheckpointExtent> extents_;  // of the version at hand
  std::vector<uint64_t> segment_ids_;
  absl::flat_hash_map<uint64_t, uint32_t> numbers_;  // of segments, by id
};

}  // namespace pure::store
