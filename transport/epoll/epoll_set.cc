#include "transport/epoll/epoll_set.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "platforms/linux/clock.h"

namespace pure::transport {
namespace {

constexpr int64_t kNsPerSecond = 1'000'000'000;
constexpr int64_t kNsPerMs = 1'000'000;

}  // namespace

int MillisecondsUntil(int64_t deadline_ns, int64_t now_ns) {
  if (deadline_ns <= now_ns) return 0;
  const int64_t left_ns = deadline_ns - now_ns;
  const int64_t left_ms = left_ns / kNsPerMs + (left_ns % kNsPerMs != 0);
  return static_cast<int>(std::min<int64_t>(left_ms, INT_MAX));
}

EpollSet::EpollSet(size_t events_max, Timer timer) : timer_(timer), events_(events_max) {}

EpollSet::~EpollSet() {
  if (descriptor_ >= 0) close(descriptor_);
}

int EpollSet::Open() {
  descriptor_ = epoll_create1(EPOLL_CLOEXEC);
  if (descriptor_ < 0) return errno;
  // Old kernels and sandboxes refuse it; asked once here, so that no wait has to.
  if (timer_ == Timer::kNanoseconds && WaitNanoseconds(0) < 0) timer_ = Timer::kMilliseconds;
  return 0;
}

int EpollSet::Add(int descriptor, uint32_t events, uint64_t tag) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = tag;
  return epoll_ctl(descriptor_, EPOLL_CTL_ADD, descriptor, &event) == 0 ? 0 : errno;
}

int EpollSet::Remove(int descriptor) {
  epoll_event unused{};
  return epoll_ctl(descriptor_, EPOLL_CTL_DEL, descriptor, &unused) == 0 ? 0 : errno;
}

absl::Span<const epoll_event> EpollSet::Wait(int64_t deadline_ns) {
  const int count =
      timer_ == Timer::kNanoseconds ? WaitNanoseconds(deadline_ns) : WaitMilliseconds(deadline_ns);
  return absl::MakeConstSpan(events_).first(static_cast<size_t>(std::max(count, 0)));
}

int EpollSet::WaitNanoseconds(int64_t deadline_ns) {
  timespec timeout{};
  if (deadline_ns > 0 && deadline_ns < INT64_MAX) {
    const int64_t left_ns = std::max<int64_t>(0, deadline_ns - LinuxClock().MonotonicNs());
    timeout.tv_sec = static_cast<time_t>(left_ns / kNsPerSecond);
    timeout.tv_nsec = static_cast<long>(left_ns % kNsPerSecond);  // NOLINT: timespec's own type
  }
  return epoll_pwait2(descriptor_, events_.data(), static_cast<int>(events_.size()),
                      deadline_ns == INT64_MAX ? nullptr : &timeout, nullptr);
}

int EpollSet::WaitMilliseconds(int64_t deadline_ns) {
  int timeout_ms = -1;
  if (deadline_ns < INT64_MAX) {
    timeout_ms = deadline_ns <= 0 ? 0 : MillisecondsUntil(deadline_ns, LinuxClock().MonotonicNs());
  }
  return epoll_wait(descriptor_, events_.data(), static_cast<int>(events_.size()), timeout_ms);
}

}  // namespace pure::transport
