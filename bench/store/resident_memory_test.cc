#include "bench/store/resident_memory.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "gtest/gtest.h"

namespace pure::bench {
namespace {

TEST(ResidentMemoryTest, TheKernelsLinesAreRead) {
  const std::optional<ResidentMemory> memory = ParseResidentMemory(
      "VmRSS:\t    3000 kB\nRssAnon:\t    1000 kB\nRssFile:\t    2000 kB\nRssShmem:\t 0 kB\n");
  ASSERT_TRUE(memory.has_value());
  EXPECT_EQ(memory->own_bytes, 1000u * 1024);
  EXPECT_EQ(memory->file_bytes, 2000u * 1024);
  EXPECT_EQ(memory->all(), 3000u * 1024);
}

TEST(ResidentMemoryTest, WithoutTheLinesThereIsNothing) {
  EXPECT_EQ(ParseResidentMemory("").has_value(), false);
  EXPECT_EQ(ParseResidentMemory("RssAnon:\t 1000 kB\n").has_value(), false);
  EXPECT_EQ(ParseResidentMemory("RssAnon:\t x kB\nRssFile:\t 1 kB\n").has_value(), false);
}

TEST(ResidentMemoryTest, WhatIsTouchedIsResident) {
  constexpr uint64_t kBytes = 32u << 20;
  const std::optional<ResidentMemory> before = ReadResidentMemory();
  if (!before) GTEST_SKIP() << "this kernel's /proc/self/status has no RssAnon";
  const std::vector<char> touched(kBytes, 'b');
  const std::optional<ResidentMemory> after = ReadResidentMemory();
  ASSERT_TRUE(after.has_value());
  EXPECT_GE(after->own_bytes, before->own_bytes + kBytes / 2);
  EXPECT_EQ(touched.back(), 'b');
}

}  // namespace
}  // namespace pure::bench
