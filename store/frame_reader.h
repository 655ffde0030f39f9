#pragma once

// FrameReader: reads the frames of one segment file, with checks. It holds one window of the file
// in memory, or one frame's entries when they are larger.
//
// Thread: one thread's. Lifetime: borrows the segment.

#include <cstdint>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "runtime/bytes.h"
#include "store/format.h"
#include "store/manifest.h"
#include "store/segment.h"

namespace pure::store {

enum class [[nodiscard]] FrameState : uint8_t{
    kSound,
    kBad,         // torn, damaged or never written
    kUnreadable,  // the disk can not deliver it
};

class FrameReader {
 public:
  // Reads the file up to `limit_bytes`.
  FrameReader(const File* file ABSL_ATTRIBUTE_LIFETIME_BOUND, uint64_t limit_bytes)
      : file_(file), limit_bytes_(limit_bytes) {}

  // kSound: a header that names this segment and offset, of a frame that ends within the limit.
  FrameState ReadHeader(uint64_t segment, uint64_t offset, FrameHeader* header);
  // kSound: a header, wherever it belongs.
  FrameState ReadHeaderOfAny(uint64_t offset, FrameHeader* header);
  // kSound: the entries and the footer are those that the sound header names. *entries lives until
  // the next call.
  FrameState ReadEntries(const FrameHeader& header, Bytes* entries);

 private:
  // *bytes lives until the next call.
  FrameState Fetch(uint64_t offset, uint64_t size, Bytes* bytes);

  const File* const file_;
  const uint64_t limit_bytes_;
  std::vector<char> window_;
  uint64_t window_begin_ = 0;
};

// Whether an extent lies in this frame's own payload.
bool InPayload(const FrameHeader& header, const DiskExtent& extent);

// Checks header, entries, footer and the extents that the frame brought, as recovery must.
FrameState CheckFrame(const Segment& segment, FrameReader* reader, const FrameHeader& header);

// Visits the frames of [kSegmentHeaderBytes, record.end_bytes), of which none may be bad: DataLoss
// when one is, or when they are not those that the record names. `visit` gets sound entries, while
// the extents' bytes are not touched; what it returns other than OK ends the walk.
absl::Status WalkSealed(
    const Segment& segment, const ManifestSegment& record,
    absl::FunctionRef<absl::Status(const FrameHeader& header, Bytes entries)> visit);

}  // namespace pure::store
