#pragma once

// RateGuard: the least rate at which a body has to come and an answer has to go. After a grace of
// one window, each window of the same length must bring its share; so a client that trickles is
// cut, one that is merely slow is not, and neither are bytes that were quick at first a credit for
// ever (compare mod_reqtimeout's MinRate).
//
// Thread: its shard's.

#include <cstdint>

namespace pure::transport {

class RateGuard {
 public:
  void Start(int64_t now_ns, int64_t window_ns) {
    deadline_ns_ = now_ns + window_ns;
    window_ns_ = window_ns;
    graced_ = false;
  }

  int64_t deadline_ns() const { return deadline_ns_; }

  // To be asked when the deadline has come, with all bytes that made it so far. False: too few
  // since it was asked last.
  bool Continue(int64_t now_ns, int64_t bytes, int64_t bytes_per_second) {
    const int64_t share = static_cast<int64_t>(static_cast<double>(window_ns_) / 1e9 *
                                               static_cast<double>(bytes_per_second));
    if (graced_ && bytes - bytes_before_ < share) return false;
    graced_ = true;
    bytes_before_ = bytes;
    deadline_ns_ = now_ns + window_ns_;
    return true;
  }

 private:
  int64_t deadline_ns_ = 0;
  int64_t window_ns_ = 0;
  int64_t bytes_before_ = 0;
  bool graced_ = false;  // the first window is over
};

}  // namespace pure::transport
