#include "platforms/server/progress.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/simulated_clock.h"

namespace pure::server {
namespace {

constexpr uint64_t kMiB = 1u << 20;

class ProgressTest : public ::testing::Test {
 protected:
  Terminal terminal() {
    return [this](Bytes text) { drawn_.emplace_back(text); };
  }

  pure::testing::SimulatedClock clock_;
  std::vector<std::string> drawn_;
};

TEST_F(ProgressTest, WorkThatIsDoneWithinASecondShowsNothing) {
  {
    Progress progress(&clock_, terminal(), "verify");
    progress.Update(1, 100);
    clock_.AdvanceMs(999);
    progress.Update(100, 100);
  }
  EXPECT_EQ(drawn_.size(), 0u);
}

TEST_F(ProgressTest, ALineTellsPercentBytesRateAndTimeLeft) {
  Progress progress(&clock_, terminal(), "verify");
  clock_.AdvanceMs(2000);
  progress.Update(100 * kMiB, 400 * kMiB);
  EXPECT_EQ(drawn_.back(), "\r\x1b[Kverify  25 %  100.0 MiB of 400.0 MiB  50.0 MiB/s  6 s left");
  clock_.AdvanceMs(98'000);
  progress.Update(100 * kMiB, 1024 * kMiB);
  EXPECT_EQ(drawn_.back(),
            "\r\x1b[Kverify  9 %  100.0 MiB of 1.0 GiB  1.0 MiB/s  15 min 24 s left");
  clock_.AdvanceMs(900'000);
  progress.Update(1000, 5000);
  EXPECT_EQ(drawn_.back(), "\r\x1b[Kverify  20 %  1000 B of 4.9 KiB  1 B/s  1 h 6 min left");
}

TEST_F(ProgressTest, ItIsDrawnTenTimesASecondAtMost) {
  Progress progress(&clock_, terminal(), "backup");
  for (int ms = 0; ms < 3000; ++ms) {
    progress.Update(static_cast<uint64_t>(ms) + 1, 3000);
    clock_.AdvanceMs(1);
  }
  EXPECT_EQ(drawn_.size(), 20u);
}

TEST_F(ProgressTest, ItIsTakenAwayAtTheEnd) {
  {
    Progress progress(&clock_, terminal(), "backup");
    clock_.AdvanceMs(1500);
    progress.Update(1, 2);
    ASSERT_EQ(drawn_.size(), 1u);
  }
  ASSERT_EQ(drawn_.size(), 2u);
  EXPECT_EQ(drawn_.back(), "\r\x1b[K");
}

TEST_F(ProgressTest, OddFiguresAreShownAsWellAsCanBe) {
  Progress progress(&clock_, terminal(), "dump");
  clock_.AdvanceMs(1000);
  progress.Update(0, 0);
  EXPECT_EQ(drawn_.size(), 0u);
  progress.Update(200, 100);
  EXPECT_EQ(drawn_.back(), "\r\x1b[Kdump  100 %  200 B of 200 B  200 B/s  0 s left");
}

TEST_F(ProgressTest, WithoutATerminalNothingIsShown) {
  Progress progress(&clock_, nullptr, "dump");
  clock_.AdvanceMs(5000);
  progress.Update(1, 2);
  EXPECT_EQ(drawn_.size(), 0u);
}

}  // namespace
}  // namespace pure::server
