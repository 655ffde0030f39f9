#include "runtime/condition.h"

#include "gtest/gtest.h"

namespace pure {
namespace {

TEST(ConditionTest, NothingExpectedAlwaysHolds) {
  const Condition condition;
  EXPECT_TRUE(condition.Holds(false, 0));
  EXPECT_TRUE(condition.Holds(true, 3));
}

TEST(ConditionTest, AbsentHoldsOnlyWithoutADocument) {
  const Condition condition{.kind = Condition::Kind::kAbsent};
  EXPECT_TRUE(condition.Holds(false, 0));
  EXPECT_FALSE(condition.Holds(true, 1));
}

TEST(ConditionTest, ARevisionHoldsOnlyForExactlyThatOne) {
  const Condition condition{.kind = Condition::Kind::kRevision, .revision = 3};
  EXPECT_TRUE(condition.Holds(true, 3));
  EXPECT_FALSE(condition.Holds(true, 2));
  EXPECT_FALSE(condition.Holds(true, 4));
  EXPECT_FALSE(condition.Holds(false, 3)) << "an absent document has no revision";
}

TEST(ConditionTest, ATagThatNoRevisionPrintsNeverHolds) {
  const Condition condition{.kind = Condition::Kind::kNever, .revision = 3};
  EXPECT_FALSE(condition.Holds(true, 3));
  EXPECT_FALSE(condition.Holds(false, 0));
}

}  // namespace
}  // namespace pure
