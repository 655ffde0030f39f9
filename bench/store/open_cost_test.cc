#include "bench/store/open_cost.h"

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "store/posix/temporary_directory.h"

namespace pure::bench {
namespace {

class OpenCostTest : public ::testing::Test {
 protected:
  store::TemporaryDirectory directory_;
  OpenCostOptions options_{.directory = directory_.Path("store"),
                           .keys = 3000,
                           .value_bytes = 100,
                           .opens = 3,
                           .tail_saves = 50};
};

TEST_F(OpenCostTest, BothKindsOfOpeningAreMeasured) {
  const absl::StatusOr<OpenCostReport> report = MeasureOpenCost(options_);
  ASSERT_EQ(report.status(), absl::OkStatus());
  ASSERT_EQ(report->killed.size(), 3u);
  ASSERT_EQ(report->closed.size(), 3u);
  // How much depends on when a manifest was written last, for compaction or for a checkpoint.
  uint64_t repaired_bytes = 0;
  for (const Opening& opening : report->killed) repaired_bytes += opening.repaired_bytes;
  EXPECT_GT(repaired_bytes, 0u);
  for (const Opening& opening : report->closed) EXPECT_EQ(opening.repaired_bytes, 0u);
  EXPECT_GT(MedianNs(report->closed), 0);
  EXPECT_GT(report->closed[0].grown.own_bytes, 0u);
  EXPECT_GE(report->disk.file_bytes, 3000u * 100);
}

TEST_F(OpenCostTest, AStoreThatIsThereIsNotMeasured) {
  ASSERT_EQ(MeasureOpenCost(options_).status(), absl::OkStatus());
  EXPECT_EQ(MeasureOpenCost(options_).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(OpenCostTest, OptionsThatMeanNothingAreRefused) {
  options_.opens = 0;
  EXPECT_EQ(MeasureOpenCost(options_).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(OpeningsTest, TheMedianIsTheMiddleOne) {
  EXPECT_EQ(MedianNs({{.ns = 30}, {.ns = 10}, {.ns = 20}}), 20);
  EXPECT_EQ(MedianNs({{.ns = 5}}), 5);
}

}  // namespace
}  // namespace pure::bench
