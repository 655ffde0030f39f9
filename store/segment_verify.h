#pragma once

// VerifySegment: checks every byte of the frames of one segment: headers, entries, chain, the
// extents that each frame brought, footers and padding.
//
// Thread: any; frames never change. Cost: reads all of it, the extents through the mapping.

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "store/damage.h"
#include "store/format.h"
#include "store/manifest.h"
#include "store/segment.h"

namespace pure::store {

// The frames in [kSegmentHeaderBytes, record.end_bytes) must be those that the record names; else
// as WalkSealed, and what lies behind is not looked at. Bad values and padding go to `on_damage`,
// and the walk goes on; `on_frame` gets each frame after them.
absl::Status VerifySegment(const Segment& segment, const ManifestSegment& record,
                           absl::FunctionRef<void(Damage damage)> on_damage,
                           absl::FunctionRef<void(const FrameHeader& header)> on_frame);

}  // namespace pure::store
