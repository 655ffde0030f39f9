// How long the list of a large value's extents becomes.

#include "store/value_parts.h"

#include <cstdint>

#include "gtest/gtest.h"
#include "store/format.h"

namespace pure::store {
namespace {

constexpr uint64_t kMiB = 1u << 20;

TEST(ValuePartsTest, SmallValuesAreOneExtentAndLargeOnesFew) {
  EXPECT_EQ(ValueParts::ExtentBytesMax(1), 256u << 10);
  EXPECT_EQ(ValueParts::ExtentBytesMax(16 * kMiB), 256u << 10);
  for (uint64_t bytes = 17 * kMiB; bytes <= 64 * 1024 * kMiB; bytes += bytes / 3) {
    EXPECT_LE(bytes / ValueParts::ExtentBytesMax(bytes), 64u) << bytes;
  }
}

// A save of some bytes writes the whole list: with this much of them it stays below 16 KiB.
TEST(ValuePartsTest, TheEntryOf1GiBThatGrewByLargeAppendsIsShort) {
  for (const uint64_t appended : {16 * kMiB, 50 * kMiB, 100 * kMiB}) {
    uint64_t extents = 0;
    for (uint64_t bytes = appended; bytes <= 1024 * kMiB; bytes += appended) {
      const uint64_t longest = ValueParts::ExtentBytesMax(bytes);
      extents += (appended + longest - 1) / longest;
    }
    EXPECT_LT(EntryBytes(255, extents) + 4096, 15u << 10) << appended;
  }
}

}  // namespace
}  // namespace pure::store
