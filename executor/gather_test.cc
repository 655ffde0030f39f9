#include "executor/gather.h"

#include "gtest/gtest.h"

namespace pure::executor {
namespace {

constexpr int64_t kMs = 1'000'000;

// A round with one burst.
void Round(Gather* gather, int64_t now_ns, size_t answers, int64_t save_ns, size_t waiting = 0) {
  gather->Begin();
  gather->Answered(now_ns, answers, save_ns, waiting);
}

TEST(GatherTest, NothingIsWaitedForWhereNothingWasAnsweredOrSaved) {
  Gather gather;
  EXPECT_LE(gather.WaitUntil(5, 1), 5);
  Round(&gather, 10, 4, 0);
  EXPECT_LE(gather.WaitUntil(10, 1), 10);
  Round(&gather, 10, 0, 5 * kMs);
  EXPECT_LE(gather.WaitUntil(10, 1), 10);
}

TEST(GatherTest, ItEndsWhenAsManyAreBackAsWereAnswered) {
  Gather gather;
  Round(&gather, 0, 3, 5 * kMs);
  EXPECT_EQ(gather.wanted(), 3u);
  EXPECT_GT(gather.WaitUntil(1000, 1), 1000);
  EXPECT_GT(gather.WaitUntil(2000, 2), 2000);
  EXPECT_LE(gather.WaitUntil(3000, 3), 3000);
  // And it is over until the next answers.
  EXPECT_LE(gather.WaitUntil(4000, 1), 4000);
}

// Else two halves of the clients would take turns for ever, each waiting for the other's save.
TEST(GatherTest, WhatCameDuringTheSaveIsNotTakenForWhatItsAnswersBring) {
  Gather gather;
  Round(&gather, 0, 25, 5 * kMs, 25);
  EXPECT_EQ(gather.wanted(), 50u);
  EXPECT_GT(gather.WaitUntil(1000, 25), 1000);
  EXPECT_GT(gather.WaitUntil(2000, 49), 2000);
  EXPECT_LE(gather.WaitUntil(3000, 50), 3000);
}

TEST(GatherTest, TheBurstsOfARoundAreAnsweredTogether) {
  Gather gather;
  gather.Begin();
  gather.Answered(0, 2, 5 * kMs, 1);
  gather.Answered(5 * kMs, 3, 5 * kMs, 3);  // the first two are back
  EXPECT_EQ(gather.wanted(), 6u);
  EXPECT_GT(gather.WaitUntil(5 * kMs, 3), 5 * kMs);
  EXPECT_LE(gather.WaitUntil(5 * kMs + 10, 6), 5 * kMs + 10);
}

TEST(GatherTest, ItEndsWhenNoneHasComeForAWhile) {
  Gather gather;
  Round(&gather, 0, 100, 20 * kMs);
  EXPECT_EQ(gather.WaitUntil(50'000, 1), 300'000);
  EXPECT_EQ(gather.WaitUntil(140'000, 2), 390'000);
  EXPECT_EQ(gather.WaitUntil(200'000, 2), 390'000);
  EXPECT_LE(gather.WaitUntil(390'000, 2), 390'000);
}

TEST(GatherTest, ItIsATenthOfASaveAtMostAndNeverAMillisecondLonger) {
  Gather slow;
  Round(&slow, 0, 1000, 50 * kMs);
  int64_t now_ns = 0;
  size_t waiting = 0;
  while (slow.WaitUntil(now_ns, ++waiting) > now_ns) now_ns += 10'000;
  EXPECT_EQ(now_ns, 1 * kMs);
  Gather quick;
  Round(&quick, 0, 1000, 400'000);
  EXPECT_EQ(quick.WaitUntil(0, 1), 40'000);
  // Where a save takes 60 us, its tenth is not worth a sleep.
  Gather fast;
  Round(&fast, 0, 1000, 60'000);
  EXPECT_LE(fast.WaitUntil(0, 1), 0);
}

TEST(GatherTest, TheTimeOfASaveIsSmoothed) {
  Gather gather;
  Round(&gather, 0, 100, 800'000);
  Round(&gather, 0, 100, 8'800'000);
  EXPECT_EQ(gather.WaitUntil(0, 1), 180'000);
  for (int i = 0; i < 100; ++i) Round(&gather, 0, 100, 400'000);
  const int64_t until_ns = gather.WaitUntil(0, 1);
  EXPECT_GE(until_ns, 40'000);
  EXPECT_LT(until_ns, 45'000);
}

// An open loop: nobody comes because he was answered.
TEST(GatherTest, WhereClientsDoNotComeBackItIsTriedEverMoreSeldom) {
  Gather gather;
  int64_t now_ns = 0;
  int waits = 0;
  for (int round = 0; round < 1000; ++round) {
    Round(&gather, now_ns, 10, 5 * kMs);
    if (gather.WaitUntil(now_ns, 1) > now_ns) ++waits;
    now_ns += kMs;
    EXPECT_LE(gather.WaitUntil(now_ns, 2), now_ns);
  }
  EXPECT_LE(waits, 25);
  EXPECT_GE(waits, 10) << "it is tried still";
  // They come back: it waits after each round again.
  waits = 0;
  for (int round = 0; round < 200; ++round) {
    Round(&gather, now_ns, 10, 5 * kMs);
    if (gather.WaitUntil(now_ns, 1) > now_ns) ++waits;
    now_ns += 1000;
    (void)gather.WaitUntil(now_ns, 9);
    now_ns += kMs;
    EXPECT_LE(gather.WaitUntil(now_ns, 9), now_ns);
  }
  EXPECT_GE(waits, 130);
}

}  // namespace
}  // namespace pure::executor
