#pragma once

// EventWaker: a wake-up as a descriptor (eventfd), for a thread that waits on descriptors: it polls
// fd() for reading and calls Drain when it is readable.
//
// Thread: Wake() any, and from a signal handler; the rest belongs to the waiting thread.
// Lifetime: owns its descriptor.

#include <memory>

#include "absl/status/statusor.h"
#include "runtime/port.h"

namespace pure {

class EventWaker final : public Waker {
 public:
  // Errors: no descriptor is left.
  static absl::StatusOr<std::unique_ptr<EventWaker>> Create();
  ~EventWaker() override;
  EventWaker(const EventWaker&) = delete;
  EventWaker& operator=(const EventWaker&) = delete;

  void Wake() override;  // leaves errno as it was

  // Readable from Wake until Drain. Not blocking, closed on exec.
  int fd() const { return fd_; }

  // Takes the wake-ups so far. True: there was one. Whatever the waker's caller did before Wake is
  // visible after it.
  bool Drain();

 private:
  explicit EventWaker(int fd) : fd_(fd) {}

  const int fd_;
};

}  // namespace pure
