#pragma once

// FrameWriter: lays out one frame for a gathered write. Values of some size are written from where
// they are; small pieces are copied together with headers and padding, which is cheaper than one
// more span each.
//
// Thread: one thread's. Lifetime: borrows the pieces until the next Begin.
// Cost: no allocation once its buffer has grown to the largest frame's small parts.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/types/span.h"
#include "runtime/bytes.h"
#include "store/format.h"
#include "store/segment.h"
#include "store/stored_extent.h"

namespace pure::store {

class FrameWriter {
 public:
  // Pieces up to this size are copied: a span costs about as much as copying 2 KiB.
  static constexpr size_t kCopyBytesMax = 2048;

  struct Size {
    uint32_t entry_count = 0;
    uint64_t entries_bytes = 0;
    uint64_t payload_bytes = 0;
    uint64_t copied_bytes = 0;  // of the payload, in pieces up to kCopyBytesMax

    void AddEntry(Bytes key, size_t extent_count);
    void AddPayload(absl::Span<const Bytes> pieces);
    uint64_t frame_bytes() const { return FrameBytes(entries_bytes, payload_bytes); }
  };

  struct Target {
    Segment* segment = nullptr;
    uint64_t offset = 0;
    uint64_t seq = 0;
    uint64_t previous_chain = 0;
  };

  void Begin(const Target& target, const Size& size);
  // Adds new bytes that were counted in the size, and tells where they will lie. REQUIRES: not
  // empty.
  StoredExtent AddPayload(absl::Span<const Bytes> pieces, uint32_t data_crc);
  // Adds an entry that was counted in the size. Its new extents are those added last.
  void AddEntry(Bytes key, EntryKind kind, uint64_t revision,
                absl::Span<const StoredExtent> extents);
  // The header as encoded. REQUIRES: as many entries and bytes as the size counted.
  const FrameHeader& Finish();
  // The whole frame.
  absl::Span<const Bytes> spans() const ABSL_ATTRIBUTE_LIFETIME_BOUND { return spans_; }

 private:
  void CloseRun();

  Target target_;
  FrameHeader header_;
  std::vector<char> buffer_;
  size_t entries_end_ = 0;  // in the buffer
  size_t run_begin_ = 0;    // the part of the buffer that is in no span yet
  size_t buffer_end_ = 0;
  uint64_t payload_end_ = 0;  // in the segment
  uint32_t entries_added_ = 0;
  std::vector<Bytes> spans_;
  std::vector<DiskExtent> extents_;  // of the entry at hand
};

}  // namespace pure::store
