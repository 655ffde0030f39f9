#include "runtime/check.h"

#include <cstdio>

#include "gtest/gtest.h"

namespace pure {
namespace {

void PrintAll(const char* file, int line, const char* condition, const char* reason) {
  std::fprintf(stderr, "[%s|%d|%s|%s]", file, line, condition, reason);
}

void PrintAndLeave(const char*, int, const char*, const char*) {
  std::fprintf(stderr, "left by the reporter");
  std::_Exit(7);
}

TEST(CheckTest, AConditionThatHoldsIsEvaluatedOnceAndDoesNothing) {
  int evaluations = 0;
  PURE_CHECK(++evaluations > 0, "never said");
  EXPECT_EQ(evaluations, 1);
}

TEST(CheckDeathTest, AFailureReachesTheReporterWithPlaceConditionAndReason) {
  EXPECT_DEATH(
      {
        SetCheckReporter(&PrintAll);
        PURE_CHECK(1 + 1 == 3, "sums went wrong");
      },
      "check_test.cc\\|[0-9]+\\|1 \\+ 1 == 3\\|sums went wrong");
}

TEST(CheckDeathTest, WithoutAReporterItStillStops) {
  EXPECT_DEATH(
      {
        SetCheckReporter(nullptr);
        PURE_CHECK(false, "nobody hears it");
      },
      "");
}

TEST(CheckDeathTest, AReporterMayEndTheProcessItself) {
  EXPECT_EXIT(
      {
        SetCheckReporter(&PrintAndLeave);
        PURE_CHECK(false, "unused");
      },
      ::testing::ExitedWithCode(7), "left by the reporter");
}

}  // namespace
}  // namespace pure
