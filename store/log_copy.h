#pragma once

// LogCopy: writes frames anew into a fresh segment, byte by byte and checksum by checksum, as
// recovery must: bytes of an unsealed segment may stand in the page cache only. The checksums of
// the extents are moved to their new places without being computed from what was read, and compared
// with it.

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/status/status.h"
#include "runtime/bytes.h"
#include "store/format.h"
#include "store/frame_reader.h"
#include "store/manifest.h"
#include "store/segment.h"

namespace pure::store {

class LogCopy {
 public:
  // `target`: the header of the segment behind `file`. The copies follow the frame with base_seq
  // and base_chain.
  LogCopy(const SegmentHeader& target, File* file ABSL_ATTRIBUTE_LIFETIME_BOUND, uint64_t base_seq,
          uint64_t base_chain);

  // Appends a frame of `segment`. It keeps its seq; extents in frames that were copied before point
  // to the copies. DataLoss: its bytes changed since they were found sound.
  absl::Status Append(const Segment& segment, const FrameHeader& header);
  // Writes what is buffered. Afterwards record() describes the segment.
  absl::Status Finish();
  const ManifestSegment& record() const { return record_; }

 private:
  struct Moved {
    uint64_t end = 0;     // of the old frame
    uint64_t target = 0;  // its new place
  };

  absl::Status CopyEntries(const Segment& segment, FrameReader* reader, const FrameHeader& header);
  absl::Status CopyPayload(const Segment& segment, const FrameHeader& header);
  absl::Status CopyExtent(const Segment& segment, const DiskExtent& extent);
  DiskExtent Move(const DiskExtent& extent) const;
  // Room for `size` bytes at the end of the buffer. REQUIRES: size <= kBufferBytes.
  absl::Status Room(size_t size, MutableBytes* room);
  absl::Status Write();

  const SegmentHeader target_;
  File* const file_;
  ManifestSegment record_;
  std::vector<char> entries_;  // of the frame at hand, with moved extents
  std::vector<char> old_entries_;
  std::vector<char> buffer_;  // bytes for the file from written_end_ on
  size_t buffered_ = 0;
  uint64_t written_end_ = kSegmentHeaderBytes;
  std::map<std::pair<uint64_t, uint64_t>, Moved> moved_;  // by segment and offset of the old frame
};

}  // namespace pure::store
