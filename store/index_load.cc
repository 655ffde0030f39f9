#include "store/index_load.h"

#include "store/frame_reader.h"

namespace pure::store {

absl::Status IndexLoad::Add(const LogSegment& segment) {
  segments_[segment.record.id] = segment.segment.get();
  return WalkSealed(
      *segment.segment, segment.record,
      [&](const FrameHeader& header, Bytes entries) { return AddFrame(segment, header, entries); });
}

absl::Status IndexLoad::AddFrame(const LogSegment& segment, const FrameHeader& header,
                                 Bytes entries) {
  EntryReader reader(entries, header.entry_count);
  for (EntryView entry; reader.Next(&entry);) {
    extents_.clear();
    for (uint32_t i = 0; i < entry.extent_count; ++i) {
      const DiskExtent extent = entry.extent(i);
      const auto found = segments_.find(extent.segment);
      if (found == segments_.end() || extent.offset < kSegmentHeaderBytes ||
          extent.offset > found->second->length_bytes() ||
          extent.length > found->second->length_bytes() - extent.offset) {
        return DamageStatus(segment.record.id, header.offset,
                            "a value lies where no segment of the store is");
      }
      extents_.push_back({.segment = found->second,
                          .offset = extent.offset,
                          .length = static_cast<uint32_t>(extent.length),
                          .checksum = extent.checksum});
    }
    switch (index_->Load(entry.key, entry.revision, header.seq, entry.kind, extents_)) {
      case Result::kOk:
        break;
      case Result::kConflict:
        return DamageStatus(segment.record.id, header.offset, "the revision of a key goes back");
      default:
        return absl::ResourceExhaustedError("no memory for the index");
    }
  }
  return absl::OkStatus();
}

}  // namespace pure::store
