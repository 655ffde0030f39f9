#include "store/verify.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "store/frame_reader.h"

namespace pure::store {
namespace {

class Verifier {
 public:
  Verifier(VerifyReport* report, const std::function<void(uint64_t, uint64_t)>& progress,
           uint64_t all_bytes)
      : report_(report), progress_(progress), all_bytes_(all_bytes) {}

  void Run(const Segment& segment, const ManifestSegment& record) {
    const absl::Status status =
        WalkSealed(segment, record, [&](const FrameHeader& header, Bytes entries) {
          CheckEntries(segment, header, entries);
          CheckPadding(segment, header);
          ++report_->frames;
          done_bytes_ += header.frame_bytes;
          if (progress_ != nullptr) progress_(done_bytes_, all_bytes_);
          return absl::OkStatus();
        });
    if (status.ok()) return;
    Add("", 0, segment.id(), 0, std::string(status.message()));
  }

 private:
  void CheckEntries(const Segment& segment, const FrameHeader& header, Bytes entries) {
    EntryReader reader(entries, header.entry_count);
    for (EntryView entry; reader.Next(&entry);) {
      for (uint32_t i = 0; i < entry.extent_count; ++i) {
        const DiskExtent extent = entry.extent(i);
        // Those of earlier frames are checked with the frame that brought them.
        if (!InPayload(header, extent)) continue;
        switch (segment.CheckExtent(extent.offset, extent.length, extent.checksum)) {
          case Segment::Check::kSound:
            break;
          case Segment::Check::kDamaged:
            Add(entry.key, entry.revision, extent.segment, extent.offset,
                "the value's checksum does not hold");
            break;
          case Segment::Check::kUnreadable:
            Add(entry.key, entry.revision, extent.segment, extent.offset,
                "the value can not be read");
            break;
        }
      }
    }
  }

  void CheckPadding(const Segment& segment, const FrameHeader& header) {
    std::array<char, kBlockBytes> block;
    const uint64_t begin = header.payload_offset() + header.payload_bytes + kFrameFooterBytes;
    const MutableBytes padding =
        absl::MakeSpan(block).first(header.offset + header.frame_bytes - begin);
    if (segment.file()->Read(begin, padding) != IoError::kNone) {
      Add("", 0, segment.id(), begin, "the padding can not be read");
    } else if (std::any_of(padding.begin(), padding.end(), [](char c) { return c != 0; })) {
      Add("", 0, segment.id(), begin, "the padding is not zero");
    }
  }

  void Add(Bytes key, uint64_t revision, uint64_t segment, uint64_t offset, std::string what) {
    report_->damages.push_back({.key = std::string(key),
                                .revision = revision,
                                .segment = segment,
                                .offset = offset,
                                .what = std::move(what)});
  }

  VerifyReport* const report_;
  const std::function<void(uint64_t, uint64_t)>& progress_;
  const uint64_t all_bytes_;
  uint64_t done_bytes_ = 0;
};

}  // namespace

absl::Status VerifyLog(const Log& log, VerifyReport* report,
                       const std::function<void(uint64_t, uint64_t)>& progress) {
  const std::vector<LogSegment> segments = log.Segments();
  uint64_t all_bytes = 0;
  for (const LogSegment& each : segments) all_bytes += each.record.end_bytes - kSegmentHeaderBytes;
  Verifier verifier(report, progress, all_bytes);
  for (const LogSegment& each : segments) verifier.Run(*each.segment, each.record);
  return absl::OkStatus();
}

}  // namespace pure::store
