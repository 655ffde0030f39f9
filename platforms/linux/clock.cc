#include "platforms/linux/clock.h"

#include <time.h>

#include "runtime/check.h"

namespace pure {
namespace {

timespec Now(clockid_t clock) {
  timespec now{};
  PURE_CHECK(clock_gettime(clock, &now) == 0, "the kernel lacks a clock that every Linux has");
  return now;
}

}  // namespace

int64_t LinuxClock::MonotonicNs() {
  const timespec now = Now(CLOCK_MONOTONIC);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

int64_t LinuxClock::WallMs() {
  const timespec now = Now(CLOCK_REALTIME);
  return int64_t{now.tv_sec} * 1'000 + now.tv_nsec / 1'000'000;
}

}  // namespace pure
