#include "bench/store/splice_cost.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "store/posix/temporary_directory.h"

namespace pure::bench {
namespace {

class SpliceCostTest : public ::testing::Test {
 protected:
  store::TemporaryDirectory directory_;
  // A document that takes several appends to make, and whose middle is no border of them.
  SpliceCostOptions options_{.directory = directory_.Path("store"),
                             .document_bytes = 300'000,
                             .rounds = 12,
                             .append_bytes = 100'000};
};

TEST_F(SpliceCostTest, EachRoundIsMeasuredAndTheDocumentIsRight) {
  const absl::StatusOr<SpliceCostReport> report = MeasureSpliceCost(options_);
  ASSERT_EQ(report.status(), absl::OkStatus());
  EXPECT_EQ(report->right, true);
  EXPECT_GE(report->spans, 1u);
  for (const WriteCost* cost : {&report->put, &report->splice, &report->append}) {
    EXPECT_EQ(cost->ns.count(), 12u);
    EXPECT_GT(cost->ns.Quantile(0.5), 0u);
    EXPECT_EQ(cost->frame_bytes.count(), 12u);
  }
}

TEST_F(SpliceCostTest, ADocumentOfAFewBytesCanBeSplicedToo) {
  options_.document_bytes = 1;
  const absl::StatusOr<SpliceCostReport> report = MeasureSpliceCost(options_);
  ASSERT_EQ(report.status(), absl::OkStatus());
  EXPECT_EQ(report->right, true);
}

TEST_F(SpliceCostTest, OptionsThatMeanNothingAreRefused) {
  options_.document_bytes = 0;
  EXPECT_EQ(MeasureSpliceCost(options_).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace pure::bench
