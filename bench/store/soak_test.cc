#include "bench/store/soak.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "bench/store/real_store.h"
#include "bench/store/soak_report.h"
#include "gtest/gtest.h"
#include "runtime/bytes.h"
#include "runtime/result.h"
#include "store/posix/temporary_directory.h"
#include "store/store.h"

namespace pure::bench {
namespace {

class SoakTest : public ::testing::Test {
 protected:
  // A store with the values that a soak's keys have at their first revision.
  void MakeStore() {
    absl::StatusOr<std::unique_ptr<RealStore>> real = RealStore::Make(options_.directory, {});
    ASSERT_EQ(real.status(), absl::OkStatus());
    real_ = *std::move(real);
    for (uint32_t number = 0; number < options_.keys; ++number) {
      Write(SoakKey(number), 0, SoakValue(options_, number, 1));
    }
  }
  void Write(Bytes key, uint64_t base, const std::string& value) {
    const std::unique_ptr<store::StoreHandle> handle = real_->store()->NewHandle();
    const Bytes piece = value;
    ASSERT_EQ(handle->Stage(key, base, absl::MakeConstSpan(&piece, 1)), Result::kOk);
    ASSERT_EQ(handle->Commit(), Result::kOk);
  }

  store::TemporaryDirectory directory_;
  SoakOptions options_{.directory = directory_.Path("store"),
                       .keys = 20,
                       .value_bytes = 4096,
                       .writes = 301,
                       .writers = 3,
                       .segment_bytes = 1u << 20};
  std::unique_ptr<RealStore> real_;
};

TEST_F(SoakTest, EachWriteIsMadeMeasuredAndRight) {
  const absl::StatusOr<SoakReport> report = Soak(options_);
  ASSERT_EQ(report.status(), absl::OkStatus());
  EXPECT_EQ(report->writes, 301u);
  EXPECT_EQ(report->compacting_ns.count() + report->quiet_ns.count(), 301u);
  EXPECT_EQ(report->counters.keys, 20u);
  EXPECT_EQ(report->counters.live_bytes, 20u * 4096);
  EXPECT_EQ(report->bound_bytes, 3u * 20 * 4096 + (2u << 20));
  EXPECT_GE(report->use.peak.most(), 20u * 4096);
  EXPECT_EQ(report->checks, absl::OkStatus());
  EXPECT_GT(report->per_second(), 0);
}

TEST_F(SoakTest, ADirectoryBeyondTheBoundIsTold) {
  options_.bound_bytes = 1;
  const absl::StatusOr<SoakReport> report = Soak(options_);
  ASSERT_EQ(report.status(), absl::OkStatus());
  EXPECT_EQ(report->bounded(), false);
  EXPECT_EQ(report->ok(), false);
  EXPECT_NE(SoakTable(options_, *report).find("NOT KEPT"), std::string::npos);
  EXPECT_NE(SoakJson(options_, *report).find("\"ok\":false"), std::string::npos);
}

TEST_F(SoakTest, TheTimeIsALimitToo) {
  options_.writes = 1'000'000'000;
  options_.seconds = 0.05;
  const absl::StatusOr<SoakReport> report = Soak(options_);
  ASSERT_EQ(report.status(), absl::OkStatus());
  EXPECT_LT(report->writes, 1'000'000u);
  EXPECT_EQ(report->checks, absl::OkStatus());
}

TEST_F(SoakTest, AWrongByteAndAWrongRevisionAreFound) {
  MakeStore();
  std::vector<uint64_t> revisions(options_.keys, 1);
  EXPECT_EQ(CheckSoak(options_, revisions, real_->store()), absl::OkStatus());
  std::string value = SoakValue(options_, 7, 2);
  Write(SoakKey(7), 1, value);
  EXPECT_EQ(CheckSoak(options_, revisions, real_->store()).code(), absl::StatusCode::kDataLoss);
  revisions[7] = 2;
  EXPECT_EQ(CheckSoak(options_, revisions, real_->store()), absl::OkStatus());
  value = SoakValue(options_, 7, 3);
  value[4095] = static_cast<char>(value[4095] ^ 1);
  Write(SoakKey(7), 2, value);
  revisions[7] = 3;
  EXPECT_EQ(CheckSoak(options_, revisions, real_->store()).code(), absl::StatusCode::kDataLoss);
}

TEST_F(SoakTest, OptionsThatMeanNothingAreRefused) {
  options_.writers = 21;
  EXPECT_EQ(Soak(options_).status().code(), absl::StatusCode::kInvalidArgument);
  options_.writers = 3;
  options_.writes = 19;
  EXPECT_EQ(Soak(options_).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(SoakReportTest, TheRatioIsThatOfTheTails) {
  SoakReport report;
  EXPECT_EQ(SoakRatio(report), 0);
  report.quiet_ns.Record(100);
  EXPECT_EQ(SoakRatio(report), 0);
  report.compacting_ns.Record(250);
  EXPECT_DOUBLE_EQ(SoakRatio(report), 2.5);
}

}  // namespace
}  // namespace pure::bench
