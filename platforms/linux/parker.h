#pragma once

// EventParker: a thread's wait on the monotonic clock, ended by others (eventfd, ppoll).
//
// Thread: as Parker. Lifetime: owns its descriptor.

#include <memory>

#include "absl/status/statusor.h"
#include "platforms/linux/waker.h"
#include "runtime/port.h"

namespace pure {

class EventParker final : public Parker {
 public:
  // `clock`: borrowed. Errors: no descriptor is left.
  static absl::StatusOr<std::unique_ptr<EventParker>> Create(Clock* clock);

  void Park(int64_t until_ns) override;
  void Unpark() override { waker_->Wake(); }

 private:
  EventParker(std::unique_ptr<EventWaker> waker, Clock* clock)
      : waker_(std::move(waker)), clock_(*clock) {}

  const std::unique_ptr<EventWaker> waker_;
  Clock& clock_;
};

}  // namespace pure
