#include "store/index_load.h"

#include "store/frame_reader.h"

namespace pure::store {

absl::Status IndexLoad::Add(const LogSegment& segment) {
  segments_[segment.record.id] = segment.segment.get();
  return WalkSealed(
      *segment.segment, segment.record,
      [&](const FrameHeader& header, Bytes entries) { return AddFrame(segment, header, entries); });
}

bool IndexLoad::Resolve(const EntryView& entry, bool* complete) {
  extents_.clear();
  *complete = true;
  for (uint32_t i = 0; i < entry.extent_count; ++i) {
    const DiskExtent extent = entry.extent(i);
    const auto found = segments_.find(extent.segment);
    Segment* const segment = found == segments_.end() ? nullptr : found->second;
    if (segment == nullptr) {
      *complete = false;
    } else if (extent.offset < kSegmentHeaderBytes || extent.offset > segment->length_bytes() ||
               extent.length > segment->length_bytes() - extent.offset) {
      return false;
    }
    extents_.push_back({.segment = segment,
                        .offset = extent.offset,
                        .length = static_cast<uint32_t>(extent.length),
                        .checksum = extent.checksum});
  }
  return true;
}

absl::Status IndexLoad::AddFrame(const LogSegment& segment, const FrameHeader& header,
                                 Bytes entries) {
  EntryReader reader(entries, header.entry_count);
  for (EntryView entry; reader.Next(&entry);) {
    bool complete = false;
    if (!Resolve(entry, &complete)) {
      return DamageStatus(segment.record.id, header.offset, "a value lies outside of its segment");
    }
    bool replaced = false;
    const Index::LoadedVersion version{.revision = entry.revision,
                                       .seq = header.seq,
                                       .kind = entry.kind,
                                       .home = segment.segment.get(),
                                       .extents = extents_};
    if (index_->Load(entry.key, version, &replaced) != Result::kOk) {
      return absl::ResourceExhaustedError("no memory for the index");
    }
    if (!replaced) continue;
    if (!complete) {
      incomplete_[std::string(entry.key)] = {segment.record.id, header.offset};
    } else if (!incomplete_.empty()) {
      incomplete_.erase(std::string(entry.key));
    }
  }
  return absl::OkStatus();
}

absl::Status IndexLoad::Finish() const {
  if (incomplete_.empty()) return absl::OkStatus();
  const Place& place = incomplete_.begin()->second;
  return DamageStatus(place.segment, place.offset,
                      "a value lies in a segment that the store does not have");
}

}  // namespace pure::store
