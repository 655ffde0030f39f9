#include <set>

#include "gtest/gtest.h"
#include "tests/testing/counting_memory.h"
#include "tests/testing/counting_waker.h"
#include "tests/testing/seeded_entropy.h"
#include "tests/testing/simulated_clock.h"

namespace pure::testing {
namespace {

TEST(SimulatedClockTest, TimeStandsStillUntilItIsMoved) {
  SimulatedClock clock(5'000'000);
  EXPECT_EQ(clock.MonotonicNs(), 5'000'000);
  EXPECT_EQ(clock.MonotonicNs(), 5'000'000);
  EXPECT_EQ(clock.WallMs(), 1'577'836'800'000);
  clock.AdvanceMs(3);
  EXPECT_EQ(clock.MonotonicNs(), 8'000'000);
  EXPECT_EQ(clock.WallMs(), 1'577'836'800'003);
}

TEST(SimulatedClockTest, AJumpOfTheWallClockLeavesMonotonicTimeAlone) {
  SimulatedClock clock(0);
  clock.JumpWallMs(-3'600'000);
  EXPECT_EQ(clock.MonotonicNs(), 0);
  EXPECT_EQ(clock.WallMs(), 1'577'836'800'000 - 3'600'000);
}

TEST(CountingMemoryTest, WhatIsLiveIsCounted) {
  CountingMemory memory;
  char* first = memory.Allocate(10);
  char* second = memory.Allocate(20);
  EXPECT_EQ(memory.live_bytes(), 30u);
  memory.Free(first, 10);
  EXPECT_EQ(memory.live_bytes(), 20u);
  EXPECT_EQ(memory.live_blocks(), 1u);
  memory.Free(second, 20);
  EXPECT_EQ(memory.allocations(), 2u);
  EXPECT_EQ(memory.frees(), 2u);
}

TEST(CountingMemoryTest, TheKthAllocationFailsOnce) {
  CountingMemory memory;
  memory.FailAllocation(2);
  EXPECT_NE(memory.Allocate(1), nullptr);
  EXPECT_EQ(memory.Allocate(1), nullptr);
  EXPECT_NE(memory.Allocate(1), nullptr);
  EXPECT_EQ(memory.failures(), 1u);
}

TEST(CountingMemoryTest, ExhaustedMemoryGivesNothingUntilThereIsSomeAgain) {
  CountingMemory memory;
  memory.set_exhausted(true);
  EXPECT_EQ(memory.Allocate(1), nullptr);
  EXPECT_EQ(memory.Allocate(1), nullptr);
  memory.set_exhausted(false);
  EXPECT_NE(memory.Allocate(1), nullptr);
}

TEST(CountingMemoryDeathTest, AFreeThatDoesNotFitIsCaught) {
  CountingMemory memory;
  char* data = memory.Allocate(8);
  EXPECT_DEATH(memory.Free(data, 7), "another size");
  memory.Free(data, 8);
  EXPECT_DEATH(memory.Free(data, 8), "not given, or twice");
}

TEST(SeededEntropyTest, TheSameSeedGivesTheSameNumbers) {
  SeededEntropy first(42), second(42), other(43);
  std::set<uint64_t> seen;
  for (int i = 0; i < 100; ++i) {
    const uint64_t number = first.Next();
    EXPECT_EQ(number, second.Next());
    EXPECT_NE(number, other.Next());
    seen.insert(number);
  }
  EXPECT_EQ(seen.size(), 100u);
}

TEST(SeededEntropyTest, TheFirstNumbersOfSeedZeroAreThoseOfThePaper) {
  SeededEntropy entropy(0);
  EXPECT_EQ(entropy.Next(), 0xE220A8397B1DCDAFu);
  EXPECT_EQ(entropy.Next(), 0x6E789E6AA1B965F4u);
}

TEST(CountingWakerTest, EachWakeCounts) {
  CountingWaker waker;
  EXPECT_EQ(waker.wakes(), 0u);
  waker.Wake();
  waker.Wake();
  EXPECT_EQ(waker.wakes(), 2u);
}

}  // namespace
}  // namespace pure::testing
