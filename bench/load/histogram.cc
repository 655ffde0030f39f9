#include "bench/load/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "runtime/check.h"

namespace pure::bench {

void Histogram::Record(uint64_t value) {
  ++counts_[BucketOf(value)];
  ++count_;
  max_ = std::max(max_, value);
  sum_ += static_cast<double>(value);
}

void Histogram::Merge(const Histogram& other) {
  for (size_t i = 0; i < kBuckets; ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  max_ = std::max(max_, other.max_);
  sum_ += other.sum_;
}

double Histogram::mean() const { return count_ == 0 ? 0 : sum_ / static_cast<double>(count_); }

uint64_t Histogram::Quantile(double share) const {
  PURE_CHECK(share >= 0 && share <= 1, "a share lies between 0 and 1");
  if (count_ == 0) return 0;
  const double rank = std::ceil(share * static_cast<double>(count_));
  const uint64_t wanted = std::clamp(static_cast<uint64_t>(rank), uint64_t{1}, count_);
  uint64_t seen = 0;
  for (size_t i = 0; i < kBuckets; ++i) {
    seen += counts_[i];
    if (seen >= wanted) return std::min(UpperBound(i), max_);
  }
  return max_;
}

size_t Histogram::BucketOf(uint64_t value) {
  const int width = std::bit_width(value);
  if (width <= kStepBits) return static_cast<size_t>(value);
  const int shift = width - 1 - kStepBits;
  return static_cast<size_t>(shift) * kSteps + static_cast<size_t>(value >> shift);
}

uint64_t Histogram::UpperBound(size_t bucket) {
  if (bucket < 2 * kSteps) return bucket;
  const size_t shift = bucket / kSteps - 1;
  const uint64_t first = (bucket % kSteps + kSteps) << shift;
  return first + ((uint64_t{1} << shift) - 1);
}

}  // namespace pure::bench
