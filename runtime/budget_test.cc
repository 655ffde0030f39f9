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

class Keeper : public Reclaimer {
 public:
  explicit Keeper(Budget* budget) : budget_(budget) { budget->SetReclaimer(this); }
  bool Keep(size_t bytes) {
    if (!budget_->ChargeSpare(bytes)) return false;
    kept_bytes += bytes;
    return true;
  }
  void Reclaim() override {
    budget_->RefundSpare(kept_bytes);
    kept_bytes = 0;
  }
  size_t kept_bytes = 0;

 private:
  Budget* const budget_;
};

TEST(BudgetTest, SpareBytesAreChargedAndMakeRoomForOthers) {
  Budget budget(100);
  Keeper keeper(&budget);
  EXPECT_TRUE(budget.Charge(50));
  EXPECT_TRUE(keeper.Keep(30));
  EXPECT_EQ(budget.retained_bytes(), 80u);
  EXPECT_EQ(budget.available_bytes(), 50u);
  EXPECT_TRUE(budget.Charge(20));
  EXPECT_EQ(keeper.kept_bytes, 30u) << "there was room beside them";
  EXPECT_FALSE(budget.Charge(31));
  EXPECT_EQ(keeper.kept_bytes, 30u) << "they would not have been enough";
  EXPECT_TRUE(budget.Charge(1));
  EXPECT_EQ(keeper.kept_bytes, 0u);
  EXPECT_EQ(budget.retained_bytes(), 71u);
}

TEST(BudgetTest, SpareBytesDoNotPushOutOthers) {
  Budget budget(100);
  Keeper keeper(&budget);
  EXPECT_TRUE(budget.Charge(50));
  EXPECT_TRUE(keeper.Keep(30));
  EXPECT_FALSE(keeper.Keep(21));
  EXPECT_TRUE(keeper.Keep(20));
  EXPECT_EQ(budget.retained_bytes(), budget.limit_bytes());
  EXPECT_EQ(budget.retained_bytes_peak(), budget.limit_bytes());
}

TEST(BudgetDeathTest, MoreThanWasChargedIsNotRefunded) {
  Budget budget(100);
  EXPECT_TRUE(budget.Charge(10));
  EXPECT_DEATH(budget.Refund(11), "more is refunded than was charged");
}

}  // namespace
}  // namespace pure
