#include "store/verify.h"

#include <string>
#include <utility>
#include <vector>

#include "store/segment_verify.h"

namespace pure::store {

absl::Status VerifyLog(const Log& log, VerifyReport* report,
                       const std::function<void(uint64_t, uint64_t)>& progress) {
  const std::vector<LogSegment> segments = log.Segments();
  uint64_t all_bytes = 0;
  for (const LogSegment& each : segments) all_bytes += each.record.end_bytes - kSegmentHeaderBytes;
  uint64_t done_bytes = 0;
  for (const LogSegment& each : segments) {
    const absl::Status status = VerifySegment(
        *each.segment, each.record,
        [&](Damage damage) { report->damages.push_back(std::move(damage)); },
        [&](const FrameHeader& header) {
          ++report->frames;
          done_bytes += header.frame_bytes;
          if (progress != nullptr) progress(done_bytes, all_bytes);
        });
    if (status.ok()) continue;
    report->damages.push_back(
        {.segment = each.segment->id(), .what = std::string(status.message())});
  }
  const absl::Status checkpoint = log.VerifyCheckpoint();
  if (!checkpoint.ok()) report->damages.push_back({.what = std::string(checkpoint.message())});
  return absl::OkStatus();
}

}  // namespace pure::store
