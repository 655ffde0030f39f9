#include "transport/idle_list.h"

#include "gtest/gtest.h"

namespace pure::transport {
namespace {

TEST(IdleListTest, GivesTheLongestIdleFirst) {
  IdleList list(4);
  EXPECT_EQ(list.First(), IdleList::kNone);
  list.Add(2);
  list.Add(0);
  list.Add(2);
  EXPECT_EQ(list.First(), 2u);
  list.Remove(2);
  EXPECT_FALSE(list.Contains(2));
  EXPECT_EQ(list.First(), 0u);
  list.Add(2);
  list.Remove(0);
  EXPECT_EQ(list.First(), 2u);
  list.Remove(2);
  list.Remove(2);
  EXPECT_EQ(list.First(), IdleList::kNone);
}

}  // namespace
}  // namespace pure::transport
