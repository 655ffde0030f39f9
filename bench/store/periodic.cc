#include "bench/store/periodic.h"

#include <utility>

#include "absl/time/time.h"

namespace pure::bench {

Periodic::Periodic(int64_t period_ms, std::function<void()> work)
    : thread_([this, period = absl::Milliseconds(period_ms), work = std::move(work)] {
        do {
          work();
        } while (!stopped_.WaitForNotificationWithTimeout(period));
        work();
      }) {}

Periodic::~Periodic() {
  stopped_.Notify();
  thread_.join();
}

}  // namespace pure::bench
