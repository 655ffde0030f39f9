#pragma once

// Periodic: a thread that calls a function again and again, for what is sampled beside a run.
//
// Lifetime: ends the thread at destruction. Thread: the function runs on that thread alone, so that
// it may write what its owner reads after the destruction.

#include <cstdint>
#include <functional>
#include <thread>

#include "absl/synchronization/notification.h"

namespace pure::bench {

class Periodic final {
 public:
  // Calls `work` at once, then `period_ms` after each call's end, and once more at destruction.
  Periodic(int64_t period_ms, std::function<void()> work);
  ~Periodic();
  Periodic(const Periodic&) = delete;
  Periodic& operator=(const Periodic&) = delete;

 private:
  absl::Notification stopped_;
  std::thread thread_;
};

}  // namespace pure::bench
