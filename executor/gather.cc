#include "executor/gather.h"

#include <algorithm>

namespace pure::executor {

void Gather::Answered(int64_t now_ns, size_t answers, int64_t save_ns) {
  until_ns_ = 0;
  if (save_ns <= 0) return;
  save_ns_ += (save_ns - save_ns_) / (save_ns_ == 0 ? 1 : kSmoothing);
  const int64_t window_ns = std::min(kLongestNs, save_ns_ / kPartOfSave);
  if (answers == 0 || window_ns < kShortestNs) return;
  until_ns_ = now_ns + window_ns;
  answers_ = answers;
  seen_ = 0;
  seen_ns_ = now_ns;
}

int64_t Gather::WaitUntil(int64_t now_ns, size_t waiting) {
  if (waiting != seen_) {
    seen_ = waiting;
    seen_ns_ = now_ns;
  }
  const int64_t until_ns = std::min(until_ns_, seen_ns_ + kQuietNs);
  if (waiting >= answers_ || until_ns <= now_ns) {
    until_ns_ = 0;
    return now_ns;
  }
  return until_ns;
}

}  // namespace pure::executor
