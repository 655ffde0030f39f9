#include "platforms/linux/entropy.h"

#include <set>

#include "gtest/gtest.h"

namespace pure {
namespace {

TEST(LinuxEntropyTest, NumbersDoNotRepeatAndEveryBitMoves) {
  LinuxEntropy entropy;
  std::set<uint64_t> seen;
  uint64_t ever_set = 0;
  uint64_t always_set = ~uint64_t{0};
  // A bit that stays put in 256 fair draws: once in 2^255. A repeat: once in 2^49.
  for (int i = 0; i < 256; ++i) {
    const uint64_t bits = entropy.Next();
    seen.insert(bits);
    ever_set |= bits;
    always_set &= bits;
  }
  EXPECT_EQ(seen.size(), 256u);
  EXPECT_EQ(ever_set, ~uint64_t{0});
  EXPECT_EQ(always_set, 0u);
}

}  // namespace
}  // namespace pure
