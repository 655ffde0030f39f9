#include "store/segment_verify.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "store/frame_reader.h"

namespace pure::store {
namespace {

using OnDamage = absl::FunctionRef<void(Damage)>;

void CheckExtents(const Segment& segment, const FrameHeader& header, const EntryView& entry,
                  OnDamage on_damage) {
  const auto report = [&](const DiskExtent& extent, const char* what) {
    on_damage({.key = std::string(entry.key),
               .revision = entry.revision,
               .segment = extent.segment,
               .offset = extent.offset,
               .what = what});
  };
  for (uint32_t i = 0; i < entry.extent_count; ++i) {
    const DiskExtent extent = entry.extent(i);
    // Those of earlier frames are checked with the frame that brought them.
    if (!InPayload(header, extent)) continue;
    switch (segment.CheckExtent(extent.offset, extent.length, extent.checksum)) {
      case Segment::Check::kSound:
        break;
      case Segment::Check::kDamaged:
        report(extent, "the value's checksum does not hold");
        break;
      case Segment::Check::kUnreadable:
        report(extent, "the value can not be read");
        break;
    }
  }
}

void CheckPadding(const Segment& segment, const FrameHeader& header, OnDamage on_damage) {
  std::array<char, kBlockBytes> block;
  const uint64_t begin = header.payload_offset() + header.payload_bytes + kFrameFooterBytes;
  const MutableBytes padding =
      absl::MakeSpan(block).first(header.offset + header.frame_bytes - begin);
  const char* what = nullptr;
  if (segment.file()->Read(begin, padding) != IoError::kNone) {
    what = "the padding can not be read";
  } else if (std::any_of(padding.begin(), padding.end(), [](char c) { return c != 0; })) {
    what = "the padding is not zero";
  }
  if (what != nullptr) on_damage({.segment = segment.id(), .offset = begin, .what = what});
}

}  // namespace

absl::Status VerifySegment(const Segment& segment, const ManifestSegment& record,
                           absl::FunctionRef<void(Damage damage)> on_damage,
                           absl::FunctionRef<void(const FrameHeader& header)> on_frame) {
  return WalkSealed(segment, record, [&](const FrameHeader& header, Bytes entries) {
    EntryReader reader(entries, header.entry_count);
    for (EntryView entry; reader.Next(&entry);) CheckExtents(segment, header, entry, on_damage);
    CheckPadding(segment, header, on_damage);
    on_frame(header);
    return absl::OkStatus();
  });
}

}  // namespace pure::store
