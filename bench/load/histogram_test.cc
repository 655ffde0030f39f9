#include "bench/load/histogram.h"

#include <cstdint>
#include <limits>

#include "gtest/gtest.h"

namespace pure::bench {
namespace {

TEST(HistogramTest, SmallValuesAreExact) {
  Histogram histogram;
  for (uint64_t value = 0; value < 256; ++value) histogram.Record(value);
  EXPECT_EQ(histogram.Quantile(0), 0u);
  EXPECT_EQ(histogram.Quantile(0.5), 127u);
  EXPECT_EQ(histogram.Quantile(1), 255u);
  EXPECT_DOUBLE_EQ(histogram.mean(), 127.5);
}

TEST(HistogramTest, AQuantileIsWrongByLessThanOneIn128) {
  for (uint64_t value = 1; value < uint64_t{1} << 60; value = value * 3 + 1) {
    Histogram histogram;
    histogram.Record(value);
    histogram.Record(uint64_t{1} << 62);  // so that max() does not hide the bucket's bound
    const uint64_t median = histogram.Quantile(0.5);
    EXPECT_GE(median, value);
    EXPECT_LE(median - value, value / 128) << value;
  }
}

TEST(HistogramTest, TheLargestValueHasABucketAndIsTheMaximum) {
  Histogram histogram;
  histogram.Record(std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(histogram.max(), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(histogram.Quantile(0.99), std::numeric_limits<uint64_t>::max());
}

TEST(HistogramTest, QuantilesCountFromBelow) {
  Histogram histogram;
  for (int i = 0; i < 99; ++i) histogram.Record(10);
  histogram.Record(1000);
  EXPECT_EQ(histogram.Quantile(0.99), 10u);
  EXPECT_EQ(histogram.Quantile(0.991), 1000u);
}

TEST(HistogramTest, MergingIsRecordingBoth) {
  Histogram both, one, other;
  for (uint64_t value = 1; value < 5000; value += 7) {
    both.Record(value);
    (value % 2 == 0 ? one : other).Record(value);
  }
  one.Merge(other);
  EXPECT_EQ(one.count(), both.count());
  EXPECT_EQ(one.max(), both.max());
  EXPECT_DOUBLE_EQ(one.mean(), both.mean());
  for (double share = 0; share <= 1; share += 0.05)
    EXPECT_EQ(one.Quantile(share), both.Quantile(share));
}

TEST(HistogramTest, NothingRecordedIsAllZero) {
  Histogram histogram;
  EXPECT_EQ(histogram.Quantile(0.5), 0u);
  EXPECT_EQ(histogram.max(), 0u);
  EXPECT_EQ(histogram.mean(), 0);
}

}  // namespace
}  // namespace pure::bench
