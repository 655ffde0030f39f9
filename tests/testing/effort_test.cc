#include "tests/testing/effort.h"

#include <cstdlib>

#include "gtest/gtest.h"

namespace pure::testing {
namespace {

class EffortTest : public ::testing::Test {
 protected:
  void TearDown() override {
    unsetenv("PURE_TEST_EFFORT");
    unsetenv("PURE_TEST_SEED");
  }
};

TEST_F(EffortTest, WithoutAWordARunIsTheNormalOne) {
  unsetenv("PURE_TEST_EFFORT");
  unsetenv("PURE_TEST_SEED");
  EXPECT_EQ(Effort(), 1u);
  EXPECT_EQ(FirstSeed(), 0u);
}

TEST_F(EffortTest, TheEnvironmentSaysHowMuchAndFromWhere) {
  setenv("PURE_TEST_EFFORT", "20", 1);
  setenv("PURE_TEST_SEED", "7000", 1);
  EXPECT_EQ(Effort(), 20u);
  EXPECT_EQ(FirstSeed(), 7000u);
}

TEST_F(EffortTest, WhatIsNoNumberIsNotTakenForTheNormalRun) {
  for (const char* text : {"much", "", "0", "-1"}) {
    setenv("PURE_TEST_EFFORT", text, 1);
    EXPECT_DEATH(Effort(), "PURE_TEST_EFFORT") << text;
  }
}

}  // namespace
}  // namespace pure::testing
