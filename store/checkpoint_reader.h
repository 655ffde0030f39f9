#pragma once

// CheckpointReader: reads a checkpoint file, block by block, with checks.
//
// Thread: one thread's. Lifetime: borrows the file. Cost: the memory of one block.

#include <cstdint>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "store/checkpoint_format.h"
#include "store/files.h"

namespace pure::store {

class CheckpointReader {
 public:
  explicit CheckpointReader(const File* file ABSL_ATTRIBUTE_LIFETIME_BOUND) : file_(file) {}

  // Reads the header and the segments. False: the file is none that is whole, or not this one.
  bool Open(const StoreUuid& uuid, uint64_t id, uint64_t size_bytes);
  const CheckpointHeader& header() const { return header_; }
  // By their numbers in the versions.
  absl::Span<const uint64_t> segment_ids() const ABSL_ATTRIBUTE_LIFETIME_BOUND { return ids_; }

  // Visits all versions. False: a block does not hold or can not be read, or `visit` returned
  // false; the visits before were sound. REQUIRES: Open was true.
  bool ReadAll(absl::FunctionRef<bool(const CheckpointVersion& version,
                                      absl::Span<const CheckpointExtent> extents)>
                   visit);

 private:
  const File* const file_;
  CheckpointHeader header_;
  std::vector<uint64_t> ids_;
};

}  // namespace pure::store
