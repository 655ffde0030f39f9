#include "transport/epoll/epoll_set.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <climits>

#include "gtest/gtest.h"
#include "platforms/linux/clock.h"

namespace pure::transport {
namespace {

class EpollSetTest : public ::testing::TestWithParam<EpollSet::Timer> {
 protected:
  void SetUp() override {
    ASSERT_EQ(set_.Open(), 0);
    ASSERT_GE(event_, 0);
  }
  void TearDown() override { close(event_); }
  void Signal() {
    const uint64_t one = 1;
    ASSERT_EQ(write(event_, &one, sizeof(one)), 8);
  }

  EpollSet set_{4, GetParam()};
  int event_ = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
};

TEST_P(EpollSetTest, SaysWhatHappenedWithItsTag) {
  EXPECT_EQ(set_.Add(event_, EPOLLIN, 42), 0);
  EXPECT_TRUE(set_.Wait(0).empty());
  Signal();
  const absl::Span<const epoll_event> events = set_.Wait(INT64_MAX);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(uint64_t{events[0].data.u64}, 42u);
}

TEST_P(EpollSetTest, SaysNothingOfWhatWasRemoved) {
  EXPECT_EQ(set_.Add(event_, EPOLLIN, 42), 0);
  EXPECT_EQ(set_.Add(event_, EPOLLIN, 43), EEXIST);
  EXPECT_EQ(set_.Remove(event_), 0);
  EXPECT_EQ(set_.Remove(event_), ENOENT);
  Signal();
  EXPECT_TRUE(set_.Wait(0).empty());
}

TEST_P(EpollSetTest, NoWaitEndsBeforeItsDeadline) {
  LinuxClock clock;
  for (const int64_t wait_ns : {1, 100'000, 999'999, 1'000'001, 2'500'000}) {
    const int64_t deadline_ns = clock.MonotonicNs() + wait_ns;
    EXPECT_TRUE(set_.Wait(deadline_ns).empty());
    EXPECT_GE(clock.MonotonicNs(), deadline_ns) << wait_ns;
  }
}

TEST_P(EpollSetTest, ADeadlineThatHasPassedDoesNotWait) {
  EXPECT_TRUE(set_.Wait(0).empty());
  EXPECT_TRUE(set_.Wait(1).empty());
  EXPECT_TRUE(set_.Wait(-1).empty());
}

INSTANTIATE_TEST_SUITE_P(Timers, EpollSetTest,
                         ::testing::Values(EpollSet::Timer::kNanoseconds,
                                           EpollSet::Timer::kMilliseconds));

TEST(MillisecondsUntilTest, PartsOfAMillisecondAreAWholeOne) {
  EXPECT_EQ(MillisecondsUntil(1'000'000, 0), 1);
  EXPECT_EQ(MillisecondsUntil(1'000'001, 0), 2);
  EXPECT_EQ(MillisecondsUntil(1'000'001, 1'000'000), 1);
  EXPECT_EQ(MillisecondsUntil(5, 5), 0);
  EXPECT_EQ(MillisecondsUntil(4, 5), 0);
  EXPECT_EQ(MillisecondsUntil(INT64_MIN, INT64_MAX), 0);
}

TEST(MillisecondsUntilTest, WhatIsFarAwayIsAsFarAsTheKernelCanCount) {
  EXPECT_EQ(MillisecondsUntil(INT64_MAX - 1, 0), INT_MAX);
}

}  // namespace
}  // namespace pure::transport
