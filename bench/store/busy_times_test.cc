#include "bench/store/busy_times.h"

#include "gtest/gtest.h"

namespace pure::bench {
namespace {

TEST(BusyTimesTest, WithoutGrowthNothingIsBusy) {
  BusyTimes times;
  EXPECT_EQ(times.Touch(0, 1000, 0), false);
  times.Sample(100, 7);
  times.Sample(200, 7);
  EXPECT_EQ(times.Touch(0, 1000, 1000), false);
}

TEST(BusyTimesTest, AllTimeBetweenTwoSamplesIsBusyWhenTheCountGrew) {
  BusyTimes times;
  times.Sample(100, 0);
  times.Sample(200, 0);
  times.Sample(300, 5);
  times.Sample(400, 5);
  EXPECT_EQ(times.Touch(150, 199, 0), false);
  EXPECT_EQ(times.Touch(150, 200, 0), true);
  EXPECT_EQ(times.Touch(240, 260, 0), true);
  EXPECT_EQ(times.Touch(300, 310, 0), true);
  EXPECT_EQ(times.Touch(301, 310, 0), false);
}

TEST(BusyTimesTest, TheMarginCountsOnBothSides) {
  BusyTimes times;
  times.Sample(100, 0);
  times.Sample(200, 1);
  EXPECT_EQ(times.Touch(80, 90, 10), true);
  EXPECT_EQ(times.Touch(80, 89, 10), false);
  EXPECT_EQ(times.Touch(210, 220, 10), true);
  EXPECT_EQ(times.Touch(211, 220, 10), false);
}

TEST(BusyTimesTest, PeriodsThatFollowEachOtherAreOneAndThoseApartAreNot) {
  BusyTimes times;
  times.Sample(100, 0);
  times.Sample(200, 1);
  times.Sample(300, 2);
  times.Sample(400, 2);
  times.Sample(500, 3);
  EXPECT_EQ(times.Touch(199, 201, 0), true);
  EXPECT_EQ(times.Touch(310, 390, 0), false);
  EXPECT_EQ(times.Touch(450, 450, 0), true);
  EXPECT_EQ(times.Touch(501, 900, 0), false);
}

}  // namespace
}  // namespace pure::bench
