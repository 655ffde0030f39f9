#include "platforms/linux/clock.h"

#include <time.h>

#include "gtest/gtest.h"

namespace pure {
namespace {

TEST(LinuxClockTest, MonotonicTimeMovesAsLongAsASleepTakes) {
  LinuxClock clock;
  const int64_t before_ns = clock.MonotonicNs();
  const timespec nap{.tv_sec = 0, .tv_nsec = 2'000'000};
  ASSERT_EQ(nanosleep(&nap, nullptr), 0);
  EXPECT_GE(clock.MonotonicNs() - before_ns, 2'000'000);
}

TEST(LinuxClockTest, MonotonicTimeNeverGoesBack) {
  LinuxClock clock;
  int64_t last_ns = clock.MonotonicNs();
  for (int i = 0; i < 10'000; ++i) {
    const int64_t now_ns = clock.MonotonicNs();
    ASSERT_GE(now_ns, last_ns);
    last_ns = now_ns;
  }
}

TEST(LinuxClockTest, WallTimeIsInMillisecondsSince1970) {
  LinuxClock clock;
  const int64_t before_ms = int64_t{time(nullptr)} * 1000;
  const int64_t now_ms = clock.WallMs();
  // time() may lag the fine clock by one tick of the kernel.
  EXPECT_GE(now_ms, before_ms);
  EXPECT_LE(now_ms, before_ms + 5'000);
}

}  // namespace
}  // namespace pure
