#include "executor/gather.h"

#include <algorithm>

namespace pure::executor {

void Gather::Begin() {
  until_ns_ = 0;
  answers_ = 0;
  if (skips_ > 0) --skips_;
}

void Gather::Answered(int64_t now_ns, size_t answers, int64_t save_ns, size_t waiting) {
  if (answers_ == 0) before_ = waiting;
  answers_ += answers;
  if (save_ns <= 0) return;
  save_ns_ += (save_ns - save_ns_) / (save_ns_ == 0 ? 1 : kSmoothing);
  const int64_t window_ns = std::min(kLongestNs, save_ns_ / kPartOfSave);
  if (skips_ > 0 || window_ns < kShortestNs) return;
  until_ns_ = now_ns + window_ns;
  seen_ = waiting;
  seen_ns_ = now_ns;
}

int64_t Gather::WaitUntil(int64_t now_ns, size_t waiting) {
  if (until_ns_ == 0) return now_ns;
  if (waiting != seen_) {
    seen_ = waiting;
    seen_ns_ = now_ns;
  }
  const int64_t until_ns = std::min(until_ns_, seen_ns_ + kQuietNs);
  if (waiting < wanted() && now_ns < until_ns) return until_ns;
  End(waiting);
  return now_ns;
}

void Gather::End(size_t waiting) {
  until_ns_ = 0;
  const size_t back = waiting - std::min(waiting, before_);
  misses_ = 4 * back >= answers_ ? 0 : std::min(misses_ + 1, kMissesMax);
  // Begin takes one off before the next round.
  skips_ = misses_ == 0 ? 0 : uint32_t{1} << misses_;
}

}  // namespace pure::executor
