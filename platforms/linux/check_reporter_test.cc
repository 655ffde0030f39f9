#include "platforms/linux/check_reporter.h"

#include <csignal>

#include "gtest/gtest.h"
#include "runtime/check.h"

namespace pure {
namespace {

TEST(CheckReporterDeathTest, AFailedCheckIsOneLineAndSigabrt) {
  EXPECT_EXIT(
      {
        InstallCheckReporter();
        PURE_CHECK(2 < 1, "order was lost");
      },
      ::testing::KilledBySignal(SIGABRT),
      "check_reporter_test.cc:[0-9]+: check failed: 2 < 1: order was lost\n");
}

TEST(CheckReporterDeathTest, LineNumbersArePrintedWhole) {
  EXPECT_DEATH(
      {
        InstallCheckReporter();
        CheckFailed("a.cc", 1203, "c", "r");
      },
      "^a.cc:1203: check failed: c: r\n");
}

}  // namespace
}  // namespace pure
