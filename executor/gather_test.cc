#include "executor/gather.h"

#include "gtest/gtest.h"

namespace pure::executor {
namespace {

constexpr int64_t kMs = 1'000'000;

TEST(GatherTest, NothingIsWaitedForWhereNothingWasAnsweredOrSaved) {
  Gather gather;
  EXPECT_LE(gather.WaitUntil(5, 1), 5);
  gather.Answered(10, 4, 0);
  EXPECT_LE(gather.WaitUntil(10, 1), 10);
  gather.Answered(10, 0, 5 * kMs);
  EXPECT_LE(gather.WaitUntil(10, 1), 10);
}

TEST(GatherTest, ItEndsWhenAsManyAreBackAsWereAnswered) {
  Gather gather;
  gather.Answered(0, 3, 5 * kMs);
  EXPECT_GT(gather.WaitUntil(1000, 1), 1000);
  EXPECT_GT(gather.WaitUntil(2000, 2), 2000);
  EXPECT_LE(gather.WaitUntil(3000, 3), 3000);
  // And it is over until the next answers.
  EXPECT_LE(gather.WaitUntil(4000, 1), 4000);
}

TEST(GatherTest, ItEndsWhenNoneHasComeForAWhile) {
  Gather gather;
  gather.Answered(0, 100, 20 * kMs);
  EXPECT_EQ(gather.WaitUntil(50'000, 1), 150'000);
  EXPECT_EQ(gather.WaitUntil(140'000, 2), 240'000);
  EXPECT_EQ(gather.WaitUntil(200'000, 2), 240'000);
  EXPECT_LE(gather.WaitUntil(240'000, 2), 240'000);
}

TEST(GatherTest, ItIsATenthOfASaveAtMostAndNeverAMillisecondLonger) {
  Gather slow;
  slow.Answered(0, 1000, 50 * kMs);
  int64_t now_ns = 0;
  size_t waiting = 0;
  while (slow.WaitUntil(now_ns, ++waiting) > now_ns) now_ns += 10'000;
  EXPECT_EQ(now_ns, 1 * kMs);
  Gather quick;
  quick.Answered(0, 1000, 400'000);
  EXPECT_EQ(quick.WaitUntil(0, 1), 40'000);
  // Where a save takes 60 us, its tenth is not worth a sleep.
  Gather fast;
  fast.Answered(0, 1000, 60'000);
  EXPECT_LE(fast.WaitUntil(0, 1), 0);
}

TEST(GatherTest, TheTimeOfASaveIsSmoothed) {
  Gather gather;
  gather.Answered(0, 100, 800'000);
  gather.Answered(0, 100, 8'800'000);
  EXPECT_EQ(gather.WaitUntil(0, 1), 100'000);  // until none has come for that long
  for (int i = 0; i < 100; ++i) gather.Answered(0, 100, 400'000);
  const int64_t until_ns = gather.WaitUntil(0, 1);
  EXPECT_GE(until_ns, 40'000);
  EXPECT_LT(until_ns, 45'000);
}

}  // namespace
}  // namespace pure::executor
