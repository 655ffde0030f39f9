#include "store/verify.h"

#include <string>
#include <utility>
#include <vector>

#include "store/segment_verify.h"

namespace pure::store {

absl::Status VerifyLog(const Log& log, VerifyReport* report,
                       const std::function<void(uint64_t, uint64_t)>& progress) {
  std::vector<Segment*> segments;
  const std::vector<ManifestSegment> records = log.Records(&segments);
  uint64_t all_bytes = 0;
  for (const ManifestSegment& record : records) all_bytes += record.end_bytes - kSegmentHeaderBytes;
  uint64_t done_bytes = 0;
  for (size_t i = 0; i < records.size(); ++i) {
    const absl::Status status = VerifySegment(
        *segments[i], records[i],
        [&](Damage damage) { report->damages.push_back(std::move(damage)); },
        [&](const FrameHeader& header) {
          ++report->frames;
          done_bytes += header.frame_bytes;
          if (progress != nullptr) progress(done_bytes, all_bytes);
        });
    if (status.ok()) continue;
    report->damages.push_back(
        {.segment = segments[i]->id(), .what = std::string(status.message())});
  }
  return absl::OkStatus();
}

}  // namespace pure::store
