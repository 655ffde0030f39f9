#include "platforms/linux/parker.h"

#include <limits>
#include <thread>
#include <utility>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "platforms/linux/clock.h"

namespace pure {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kForEver = std::numeric_limits<int64_t>::max();

class EventParkerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto parker = EventParker::Create(&clock_);
    ASSERT_TRUE(parker.ok()) << parker.status();
    parker_ = *std::move(parker);
  }

  LinuxClock clock_;
  std::unique_ptr<EventParker> parker_;
};

TEST_F(EventParkerTest, ItWaitsUntilTheTimeAndNoShorter) {
  const int64_t begin_ns = clock_.MonotonicNs();
  parker_->Park(begin_ns + 20 * kMs);
  EXPECT_GE(clock_.MonotonicNs(), begin_ns + 20 * kMs);
}

TEST_F(EventParkerTest, ATimeThatIsOverIsNotWaitedFor) {
  parker_->Park(clock_.MonotonicNs() - kMs);
  parker_->Park(0);
}

TEST_F(EventParkerTest, AnEarlierUnparkEndsTheNextWaitAndOnlyThat) {
  parker_->Unpark();
  parker_->Unpark();
  parker_->Park(kForEver);
  const int64_t begin_ns = clock_.MonotonicNs();
  parker_->Park(begin_ns + 5 * kMs);
  EXPECT_GE(clock_.MonotonicNs(), begin_ns + 5 * kMs);
}

TEST_F(EventParkerTest, AnotherThreadEndsAWait) {
  int handed_over = 0;
  std::thread other([&] {
    handed_over = 42;
    parker_->Unpark();
  });
  parker_->Park(kForEver);
  EXPECT_EQ(handed_over, 42);
  other.join();
}

}  // namespace
}  // namespace pure
