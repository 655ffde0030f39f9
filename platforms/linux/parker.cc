#include "platforms/linux/parker.h"

#include <poll.h>

#include <algorithm>
#include <ctime>
#include <limits>
#include <utility>

#include "absl/memory/memory.h"

namespace pure {

absl::StatusOr<std::unique_ptr<EventParker>> EventParker::Create(Clock* clock) {
  absl::StatusOr<std::unique_ptr<EventWaker>> waker = EventWaker::Create();
  if (!waker.ok()) return waker.status();
  return absl::WrapUnique(new EventParker(*std::move(waker), clock));
}

void EventParker::Park(int64_t until_ns) {
  constexpr int64_t kSecondNs = 1'000'000'000;
  pollfd event = {.fd = waker_->fd(), .events = POLLIN, .revents = 0};
  while (!waker_->Drain()) {
    timespec rest = {};
    const bool for_ever = until_ns == std::numeric_limits<int64_t>::max();
    if (!for_ever) {
      const int64_t rest_ns = until_ns - clock_.MonotonicNs();
      if (rest_ns <= 0) return;
      rest.tv_sec = static_cast<time_t>(rest_ns / kSecondNs);
      rest.tv_nsec = static_cast<long>(rest_ns % kSecondNs);
    }
    // An interruption is looked at like any other return.
    (void)ppoll(&event, 1, for_ever ? nullptr : &rest, nullptr);
  }
}

}  // namespace pure
