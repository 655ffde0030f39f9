#include "transport/deadlines.h"

#include <map>
#include <random>

#include "gtest/gtest.h"

namespace pure::transport {
namespace {

TEST(DeadlinesTest, PopsInOrderAndOnlyWhatIsDue) {
  Deadlines deadlines(4);
  deadlines.Set(0, 30);
  deadlines.Set(1, 10);
  deadlines.Set(2, 20);
  EXPECT_EQ(deadlines.Next(), 10);
  uint32_t number = 9;
  EXPECT_FALSE(deadlines.PopExpired(9, &number));
  ASSERT_TRUE(deadlines.PopExpired(20, &number));
  EXPECT_EQ(number, 1u);
  ASSERT_TRUE(deadlines.PopExpired(20, &number));
  EXPECT_EQ(number, 2u);
  EXPECT_FALSE(deadlines.PopExpired(29, &number));
  EXPECT_EQ(deadlines.Next(), 30);
}

TEST(DeadlinesTest, ADeadlineThatWasMovedBackDoesNotExpireAtItsOldTime) {
  Deadlines deadlines(1);
  deadlines.Set(0, 10);
  deadlines.Set(0, 50);
  uint32_t number = 9;
  EXPECT_FALSE(deadlines.PopExpired(49, &number));
  EXPECT_EQ(deadlines.Next(), 50);
  deadlines.Set(0, kNever);
  EXPECT_FALSE(deadlines.PopExpired(1000, &number));
  EXPECT_EQ(deadlines.Next(), kNever);
}

TEST(DeadlinesTest, AgreesWithAModelOverRandomChanges) {
  constexpr uint32_t kCount = 50;
  std::mt19937 random(1);
  Deadlines deadlines(kCount);
  std::map<uint32_t, int64_t> model;
  for (int64_t now = 0; now < 5000; ++now) {
    const uint32_t changed = random() % kCount;
    const int64_t at = random() % 10 == 0 ? kNever : now + 1 + random() % 100;
    deadlines.Set(changed, at);
    model[changed] = at;
    uint32_t number;
    while (deadlines.PopExpired(now, &number)) {
      EXPECT_LE(model[number], now);
      model[number] = kNever;
    }
    for (const auto& [key, deadline] : model) {
      EXPECT_GT(deadline, now) << key;
      EXPECT_LE(deadlines.Next(), deadline);
    }
  }
}

}  // namespace
}  // namespace pure::transport
