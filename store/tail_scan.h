#pragma once

// TailScan: reads what lies beyond the sealed part of a log, where the last run may have been cut
// off.
//
// A frame counts when header, salt, seq, chain hash, entries, footer and all its extents hold. The
// first one that does not is the one that was in flight, and is dropped, but only if no later frame
// has a sound header: since a frame is written after the one before it was synced, a later one
// proves that acknowledged bytes are damaged.

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "store/format.h"
#include "store/manifest.h"
#include "store/segment.h"

namespace pure::store {

// A segment of the log with what is known of it.
struct LogSegment {
  SegmentHold segment;
  ManifestSegment record;
};

struct TailFrame {
  Segment* segment = nullptr;
  FrameHeader header;
};

// `open`: the segments that are not sealed, in the order of the log; seq and chain: of the last
// frame before the first of them, or 0. Frames come in the order of the log. DataLoss as above;
// Unavailable: the disk does not deliver a block, so nothing can be said about it.
absl::Status ScanTail(absl::Span<const LogSegment> open, uint64_t seq, uint64_t chain,
                      std::vector<TailFrame>* frames);

// Writes down that the record's segment holds these of its frames, too.
void ExtendRecord(absl::Span<const TailFrame> frames, ManifestSegment* record);

// Whether a frame begins just behind what a clean manifest says is the end: then it is not as old
// as the files.
absl::Status CheckCleanTail(absl::Span<const LogSegment> open, bool* clean);

// The highest seq of the frames of a segment that hold. 0: none.
absl::Status NewestSeqIn(const Segment& segment, uint64_t* seq);

}  // namespace pure::store
