#include "store/index_load.h"

#include <algorithm>

#include "store/frame_reader.h"

namespace pure::store {

Segment* IndexLoad::Find(uint64_t segment) const {
  const auto found = segments_.find(segment);
  return found == segments_.end() ? nullptr : found->second;
}

bool IndexLoad::Resolve(const DiskExtent& extent) {
  Segment* const segment = Find(extent.segment);
  if (segment != nullptr &&
      (extent.offset < kSegmentHeaderBytes || extent.offset > segment->length_bytes() ||
       extent.length > segment->length_bytes() - extent.offset)) {
    return false;
  }
  extents_.push_back({.segment = segment,
                      .offset = extent.offset,
                      .length = static_cast<uint32_t>(extent.length),
                      .checksum = extent.checksum});
  return true;
}

Result IndexLoad::Load(Bytes key, Index::LoadedVersion version, const Place& place) {
  version.extents = extents_;
  bool replaced = false;
  const Result result = index_->Load(key, version, &replaced);
  if (result != Result::kOk || !replaced) return result;
  const bool complete = version.home != nullptr && std::all_of(extents_.begin(), extents_.end(),
                                                               [](const StoredExtent& extent) {
                                                                 return extent.segment != nullptr;
                                                               });
  if (!complete) {
    incomplete_[std::string(key)] = place;
  } else if (!incomplete_.empty()) {
    incomplete_.erase(std::string(key));
  }
  return Result::kOk;
}

bool IndexLoad::AddCheckpoint(CheckpointReader* checkpoint) {
  constexpr uint64_t kVersionsPerCall = 4096;
  uint64_t versions = 0;
  const absl::Span<const uint64_t> ids = checkpoint->segment_ids();
  const bool sound = checkpoint->ReadAll(
      [&](const CheckpointVersion& version, absl::Span<const CheckpointExtent> extents) {
        if (version.home >= ids.size()) return false;
        if (++versions % kVersionsPerCall == 0) {
          const CheckpointHeader& header = checkpoint->header();
          read_(header.blocks_end / (header.versions / kVersionsPerCall + 1));
        }
        extents_.clear();
        for (const CheckpointExtent& extent : extents) {
          if (extent.segment >= ids.size() ||
              !Resolve({ids[extent.segment], extent.offset, extent.length, extent.checksum})) {
            return false;
          }
        }
        return Load(version.key,
                    {.revision = version.revision,
                     .seq = checkpoint->header().covers_seq,
                     .kind = version.kind,
                     .home = Find(ids[version.home])},
                    {ids[version.home], 0}) == Result::kOk;
      });
  if (sound) return true;
  index_->Clear();
  incomplete_.clear();
  return false;
}

absl::Status IndexLoad::Add(const LogSegment& segment) {
  Know(segment.segment.get());
  return WalkSealed(
      *segment.segment, segment.record,
      [&](const FrameHeader& header, Bytes entries) { return AddFrame(segment, header, entries); });
}

absl::Status IndexLoad::AddFrame(const LogSegment& segment, const FrameHeader& header,
                                 Bytes entries) {
  read_(header.frame_bytes);
  EntryReader reader(entries, header.entry_count);
  for (EntryView entry; reader.Next(&entry);) {
    extents_.clear();
    for (uint32_t i = 0; i < entry.extent_count; ++i) {
      if (Resolve(entry.extent(i))) continue;
      return DamageStatus(segment.record.id, header.offset, "a value lies outside of its segment");
    }
    const Result result = Load(entry.key,
                               {.revision = entry.revision,
                                .seq = header.seq,
                                .kind = entry.kind,
                                .home = segment.segment.get()},
                               {segment.record.id, header.offset});
    if (result != Result::kOk) return absl::ResourceExhaustedError("no memory for the index");
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
