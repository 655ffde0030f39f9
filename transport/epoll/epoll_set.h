#pragma once

// EpollSet: the kernel's list of descriptors to watch, and the wait for what happens to them or for
// a deadline.
//
// Thread: one thread's. Lifetime: owns its descriptor, not those that it watches.
// Cost: allocates at construction only; Wait is one system call.

#include <sys/epoll.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace pure::transport {

// Whole milliseconds until `deadline_ns`, rounded up, so that a wait never ends before it and
// nobody turns in circles until it has come. 0 when it has passed.
int MillisecondsUntil(int64_t deadline_ns, int64_t now_ns);

class EpollSet {
 public:
  enum class Timer : uint8_t {
    kNanoseconds,   // epoll_pwait2(2), Linux 5.11; falls back when the kernel has none
    kMilliseconds,  // epoll_wait(2)
  };
  // At most `events_max` events of one wait; the others come with the next.
  explicit EpollSet(size_t events_max, Timer timer = Timer::kNanoseconds);
  ~EpollSet();
  EpollSet(const EpollSet&) = delete;
  EpollSet& operator=(const EpollSet&) = delete;

  // The following return 0 or the kernel's error.
  int Open();
  int Add(int descriptor, uint32_t events, uint64_t tag);
  // A descriptor that has duplicates stays in the set until it is removed, also when it is closed.
  int Remove(int descriptor);

  // What happened, waiting until `deadline_ns` on the monotonic clock (INT64_MAX: none; 0: does not
  // wait). Empty: the deadline, or a signal. Valid until the next call.
  absl::Span<const epoll_event> Wait(int64_t deadline_ns);

 private:
  int WaitNanoseconds(int64_t deadline_ns);
  int WaitMilliseconds(int64_t deadline_ns);

  Timer timer_;
  int descriptor_ = -1;
  std::vector<epoll_event> events_;
};

}  // namespace pure::transport
