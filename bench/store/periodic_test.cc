#include "bench/store/periodic.h"

#include <atomic>
#include <cstdint>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace pure::bench {
namespace {

TEST(PeriodicTest, ItCallsAtOnceAndALastTime) {
  int calls = 0;
  {
    Periodic periodic(3600'000, [&] { ++calls; });
  }
  EXPECT_EQ(calls, 2);
}

TEST(PeriodicTest, ItCallsAgainAndAgain) {
  std::atomic<int> calls = 0;
  Periodic periodic(1, [&] { ++calls; });
  const absl::Time last = absl::Now() + absl::Seconds(30);
  while (calls < 5 && absl::Now() < last) absl::SleepFor(absl::Milliseconds(1));
  EXPECT_GE(calls, 5);
}

}  // namespace
}  // namespace pure::bench
