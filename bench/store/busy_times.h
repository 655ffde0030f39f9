#pragma once

// BusyTimes: when something else was at work, so that what ran beside it can be told from the rest.
// Made of samples of a count that grows with that work.
//
// Thread: one at a time. Cost: memory for each time that the work began anew, not for each sample.

#include <cstdint>
#include <vector>

namespace pure::bench {

class BusyTimes final {
 public:
  // The count at a time. One that grew since the last sample has grown at any time between the two,
  // so all of it is busy. REQUIRES: the times do not go back.
  void Sample(int64_t now_ns, uint64_t count);
  // True: some of [begin - margin, end + margin] is busy.
  bool Touch(int64_t begin_ns, int64_t end_ns, int64_t margin_ns) const;

 private:
  struct Period {
    int64_t begin_ns;
    int64_t end_ns;
  };

  bool sampled_ = false;
  int64_t last_ns_ = 0;
  uint64_t last_count_ = 0;
  std::vector<Period> periods_;  // in order; none touches the next
};

}  // namespace pure::bench
