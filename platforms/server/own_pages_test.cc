#include "platforms/server/own_pages.h"

#include <string>

#include "gtest/gtest.h"
#include "platforms/server/server_statistics.h"
#include "store/memory_store.h"
#include "store/store.h"
#include "tests/testing/simulated_clock.h"
#include "transport/pages.h"
#include "transport/statistics.h"

namespace pure::server {
namespace {

class OwnPagesTest : public ::testing::Test {
 protected:
  OwnPagesTest() : statistics_(&clock_, &store_, "epoll"), pages_(&statistics_, &store_) {
    statistics_.Add(&shards_[0]);
    statistics_.Add(&shards_[1]);
  }
  transport::Page Render(Bytes path) {
    transport::Page page;
    EXPECT_TRUE(pages_.Render(path, &page)) << path;
    return page;
  }

  testing::SimulatedClock clock_;
  store::MemoryStore store_;
  transport::Statistics shards_[2];
  ServerStatistics statistics_;
  OwnPages pages_;
};

TEST_F(OwnPagesTest, StatisticsAreTheSumOfTheThreadsInTheOrderOfTheContract) {
  transport::Counts counts{};
  for (size_t i = 0; i < counts.size(); ++i) counts[i] = i + 1;
  shards_[0].Publish(counts);
  shards_[1].Publish(counts);
  clock_.AdvanceMs(1500);
  EXPECT_EQ(
      Render("/-/stats").body,
      "{\"active\":2,\"retained_payload_bytes\":4,\"accepted\":8,\"requests\":10,\"bursts\":12,"
      "\"burst_events\":14,\"expired\":16,\"threads\":2,\"owner\":false,\"commit_groups\":0,"
      "\"grouped_commits\":0,\"transport\":\"epoll\",\"uptime_ms\":1500,"
      "\"peak_retained_payload_bytes\":6,\"budget_rejections\":18,"
      "\"borrowed_output_bytes\":20,\"store_bytes\":0,\"tickets\":22,\"releases\":24}\n");
}

TEST_F(OwnPagesTest, ReadyUntilTheServerStops) {
  EXPECT_EQ(Render("/-/ready").status, 200);
  pages_.SetStopping();
  EXPECT_EQ(Render("/-/ready").status, 503);
  EXPECT_EQ(Render("/-/ready").error, "stopped");
  EXPECT_EQ(Render("/-/health").status, 200);
}

TEST_F(OwnPagesTest, NotReadyOnceAWriteCanNotBeTaken) {
  store_.FailSaves(1, Result::kUncertain);
  const std::unique_ptr<store::StoreHandle> handle = store_.NewHandle();
  handle->TakeLook();
  ASSERT_EQ(handle->Stage("a", 0, {Bytes("x")}), Result::kOk);
  ASSERT_EQ(handle->Commit(), Result::kUncertain);
  EXPECT_EQ(Render("/-/ready").status, 503);
  EXPECT_EQ(Render("/-/ready").error, "storage");
}

TEST_F(OwnPagesTest, MetricsNameEachCounterWithItsType) {
  const std::string text = Render("/-/metrics").body;
  EXPECT_NE(text.find("# TYPE pure_requests_total counter\npure_requests_total 0\n"),
            std::string::npos);
  EXPECT_NE(text.find("# TYPE pure_connections gauge\n"), std::string::npos);
}

TEST_F(OwnPagesTest, SystemKeysAreNotCountedAsDocuments) {
  const std::unique_ptr<store::StoreHandle> handle = store_.NewHandle();
  handle->TakeLook();
  ASSERT_EQ(handle->Stage("a", 0, {Bytes("x")}), Result::kOk);
  ASSERT_EQ(handle->Stage(Bytes("\0b", 2), 0, {Bytes("x")}), Result::kOk);
  ASSERT_EQ(handle->Commit(), Result::kOk);
  const ServerStatistics statistics(&clock_, &store_, "epoll");
  EXPECT_NE(statistics.Metrics().find("\npure_store_keys 1\n"), std::string::npos);
}

TEST_F(OwnPagesTest, ThePageOfGraphsAsksNoOtherServer) {
  const std::string page = Render("/-/").body;
  EXPECT_NE(page.find("/-/stats"), std::string::npos);
  EXPECT_EQ(page.find("://"), std::string::npos);
}

TEST_F(OwnPagesTest, ThereIsNoOtherPage) {
  transport::Page page;
  EXPECT_FALSE(pages_.Render("/-/secrets", &page));
}

}  // namespace
}  // namespace pure::server
