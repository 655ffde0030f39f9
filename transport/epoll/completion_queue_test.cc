#include "transport/epoll/completion_queue.h"

#include "gtest/gtest.h"

namespace pure::transport {
namespace {

Completion Of(size_t bytes) {
  Completion completion;
  completion.bytes = bytes;
  return completion;
}

TEST(CompletionQueueTest, CompletionsComeOutInTheirOrderAroundTheEndOfTheRing) {
  CompletionQueue queue(3);
  size_t pushed = 0;
  size_t popped = 0;
  for (int round = 0; round < 10; ++round) {
    while (queue.size() < 3) queue.Push(Of(pushed++));
    for (int i = 0; i < 1 + round % 3; ++i) EXPECT_EQ(queue.Pop().bytes, popped++);
  }
  while (!queue.empty()) EXPECT_EQ(queue.Pop().bytes, popped++);
  EXPECT_EQ(popped, pushed);
}

TEST(CompletionQueueTest, MoreThanItsCapacityAndLessThanNothingAreCaught) {
  CompletionQueue queue(1);
  EXPECT_DEATH((void)queue.Pop(), "empty queue");
  queue.Push(Of(1));
  EXPECT_DEATH(queue.Push(Of(2)), "more completions than operations");
}

}  // namespace
}  // namespace pure::transport
