#include "runtime/budget.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace pure {
namespace {

TEST(BudgetTest, AChargeFitsUpToTheLastByte) {
  Budget budget(100);
  EXPECT_TRUE(budget.Charge(60));
  EXPECT_TRUE(budget.Charge(40));
  EXPECT_EQ(budget.retained_bytes(), 100u);
  EXPECT_EQ(budget.available_bytes(), 0u);
  EXPECT_FALSE(budget.Charge(1));
  EXPECT_TRUE(budget.Charge(0));
}

TEST(BudgetTest, AChargeThatDoesNotFitChangesNothing) {
  Budget budget(100);
  EXPECT_TRUE(budget.Charge(60));
  EXPECT_FALSE(budget.Charge(41));
  EXPECT_EQ(budget.retained_bytes(), 60u);
  EXPECT_EQ(budget.retained_bytes_peak(), 60u);
  EXPECT_TRUE(budget.Charge(40));
}

TEST(BudgetTest, TheLargestChargeDoesNotWrapAround) {
  Budget budget(SIZE_MAX);
  EXPECT_TRUE(budget.Charge(10));
  EXPECT_FALSE(budget.Charge(SIZE_MAX));
  EXPECT_FALSE(budget.Charge(SIZE_MAX - 9));
  EXPECT_TRUE(budget.Charge(SIZE_MAX - 10));
  EXPECT_EQ(budget.retained_bytes(), SIZE_MAX);
}

TEST(BudgetTest, ThePeakStaysAfterRefunds) {
  Budget budget(100);
  EXPECT_TRUE(budget.Charge(70));
  budget.Refund(50);
  EXPECT_TRUE(budget.Charge(10));
  EXPECT_EQ(budget.retained_bytes(), 30u);
  EXPECT_EQ(budget.retained_bytes_peak(), 70u);
}

TEST(BudgetDeathTest, MoreThanWasChargedIsNotRefunded) {
  Budget budget(100);
  EXPECT_TRUE(budget.Charge(10));
  EXPECT_DEATH(budget.Refund(11), "more is refunded than was charged");
}

}  // namespace
}  // namespace pure
