#include "transport/block_pool.h"

#include <cstring>

#include "gtest/gtest.h"

namespace pure::transport {
namespace {

TEST(BlockPoolTest, TheBlockGivenBackLastIsTakenFirst) {
  BlockPool pool(4096, 3);
  char* const first = pool.Take();
  char* const second = pool.Take();
  ASSERT_NE(first, nullptr);
  ASSERT_NE(second, nullptr);
  pool.Give(first);
  pool.Give(second);
  EXPECT_EQ(pool.Take(), second);
  EXPECT_EQ(pool.Take(), first);
  pool.Give(first);
  pool.Give(second);
}

TEST(BlockPoolTest, BlocksThatAreHeldDoNotOverlap) {
  BlockPool pool(64, 2);
  EXPECT_EQ(pool.block_bytes(), 64u);
  char* const first = pool.Take();
  char* const second = pool.Take();
  std::memset(first, 'a', pool.block_bytes());
  std::memset(second, 'b', pool.block_bytes());
  EXPECT_EQ(first[0], 'a');
  EXPECT_EQ(first[63], 'a');
  pool.Give(second);
  pool.Give(first);
}

TEST(BlockPoolDeathTest, ABlockMayNotOutliveItsPool) {
  EXPECT_DEATH(
      {
        BlockPool pool(64, 1);
        pool.Take();
      },
      "a block outlives its pool");
}

}  // namespace
}  // namespace pure::transport
