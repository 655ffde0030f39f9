#include "modules/arena.h"

#include <cstdint>
#include <cstring>

#include "gtest/gtest.h"

namespace pure::modules {
namespace {

TEST(ArenaTest, AllocationsDoNotOverlapAndAreAligned) {
  Arena arena(1 << 20);
  char* last = nullptr;
  for (size_t size : {1u, 7u, 16u, 100u, 4096u, 20000u, 1u}) {
    char* const taken = static_cast<char*>(arena.Allocate(size));
    ASSERT_NE(taken, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(taken) % alignof(std::max_align_t), 0u);
    std::memset(taken, 0x5A, size);
    EXPECT_NE(taken, last);
    last = taken;
  }
}

TEST(ArenaTest, TheLimitIsKeptAndResetMakesRoom) {
  Arena arena(64 << 10);
  int taken = 0;
  while (arena.Allocate(8 << 10) != nullptr) ++taken;
  EXPECT_EQ(taken, 10) << "the limit and a first block of 16 KiB";
  EXPECT_TRUE(arena.at_limit());
  EXPECT_EQ(arena.Allocate((64 << 10) + 1), nullptr);
  EXPECT_EQ(arena.AllocateArray<uint64_t>(SIZE_MAX / 2), nullptr);
  arena.Reset();
  EXPECT_FALSE(arena.at_limit());
  EXPECT_NE(arena.Allocate(64 << 10), nullptr);
}

TEST(ArenaTest, RewindingGivesBackWhatCameAfterTheMarkOnly) {
  Arena arena(1 << 20);
  char* const kept = static_cast<char*>(arena.Allocate(16));
  std::memcpy(kept, "still here", 11);
  const Arena::Mark mark = arena.Now();
  void* const first = arena.Allocate(16);
  ASSERT_NE(arena.Allocate(100000), nullptr);
  arena.Rewind(mark);
  EXPECT_EQ(arena.Allocate(16), first);
  EXPECT_STREQ(kept, "still here");
}

TEST(ArenaTest, RewindingToTheStartIsAReset) {
  Arena arena(1 << 20);
  const Arena::Mark mark = arena.Now();
  void* const first = arena.Allocate(16);
  arena.Rewind(mark);
  EXPECT_EQ(arena.Allocate(16), first);
}

}  // namespace
}  // namespace pure::modules
