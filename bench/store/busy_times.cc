#include "bench/store/busy_times.h"

#include <algorithm>
#include <utility>

namespace pure::bench {

void BusyTimes::Sample(int64_t now_ns, uint64_t count) {
  const bool grew = sampled_ && count != last_count_;
  const int64_t before_ns = std::exchange(last_ns_, now_ns);
  sampled_ = true;
  last_count_ = count;
  if (!grew) return;
  if (!periods_.empty() && periods_.back().end_ns == before_ns) {
    periods_.back().end_ns = now_ns;
  } else {
    periods_.push_back({before_ns, now_ns});
  }
}

bool BusyTimes::Touch(int64_t begin_ns, int64_t end_ns, int64_t margin_ns) const {
  const auto first = std::partition_point(
      periods_.begin(), periods_.end(),
      [&](const Period& period) { return period.end_ns < begin_ns - margin_ns; });
  return first != periods_.end() && first->begin_ns <= end_ns + margin_ns;
}

}  // namespace pure::bench
