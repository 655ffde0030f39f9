#include "transport/rate_guard.h"

#include "gtest/gtest.h"

namespace pure::transport {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

TEST(RateGuardTest, TheFirstWindowIsAGrace) {
  RateGuard guard;
  guard.Start(0, kSecond);
  EXPECT_EQ(guard.deadline_ns(), kSecond);
  EXPECT_TRUE(guard.Continue(kSecond, 0, 1024));
  EXPECT_EQ(guard.deadline_ns(), 2 * kSecond);
  EXPECT_FALSE(guard.Continue(2 * kSecond, 1023, 1024));
}

TEST(RateGuardTest, AQuickBeginningIsNoCreditForAStall) {
  RateGuard guard;
  guard.Start(0, kSecond);
  EXPECT_TRUE(guard.Continue(kSecond, 1 << 20, 1024));
  EXPECT_FALSE(guard.Continue(2 * kSecond, 1 << 20, 1024));
}

TEST(RateGuardTest, ASlowButSteadyClientGoesOn) {
  RateGuard guard;
  guard.Start(0, kSecond);
  for (int64_t i = 1; i < 100; ++i) EXPECT_TRUE(guard.Continue(i * kSecond, i * 1024, 1024)) << i;
}

}  // namespace
}  // namespace pure::transport
