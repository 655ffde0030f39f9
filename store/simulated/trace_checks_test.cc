#include "store/simulated/trace_checks.h"

#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "store/testing/print.h"

namespace pure::store {
namespace {

class TraceChecksTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(directory_->Create("segment", &file_), IoError::kNone);
    ASSERT_EQ(directory_->Sync(), IoError::kNone);
  }
  IoError Write(uint64_t offset, size_t size, char letter = 'x') {
    const std::string bytes(size, letter);
    uint64_t written_bytes = 0;
    return file_->Write(offset, {Bytes(bytes)}, &written_bytes);
  }
  IoError Sync() { return file_->Sync(); }

  SimulatedDisk disk_;
  std::unique_ptr<Directory> directory_ = disk_.OpenDirectory();
  std::unique_ptr<File> file_;
};

TEST_F(TraceChecksTest, FramesInBlocksOfTheirOwnAreIsolated) {
  EXPECT_EQ(Write(0, 65536, '\0'), IoError::kNone);
  EXPECT_EQ(Sync(), IoError::kNone);
  disk_.Acknowledge(0);
  for (uint64_t seq = 1; seq <= 3; ++seq) {
    EXPECT_EQ(Write(seq * 8192, 8192), IoError::kNone);
    EXPECT_EQ(Sync(), IoError::kNone);
    disk_.Acknowledge(seq);
  }
  EXPECT_TRUE(IsolationBreaches(disk_.journal()).empty());
  EXPECT_TRUE(OrderBreaches(disk_.journal()).empty());
  EXPECT_TRUE(StickyBreaches(disk_.journal()).empty());
}

TEST_F(TraceChecksTest, AWriteIntoAnAcknowledgedBlockIsABreach) {
  EXPECT_EQ(Write(0, 5000), IoError::kNone);
  EXPECT_EQ(Sync(), IoError::kNone);
  EXPECT_EQ(Write(5000, 10), IoError::kNone) << "not acknowledged yet";
  EXPECT_EQ(Sync(), IoError::kNone);
  EXPECT_TRUE(IsolationBreaches(disk_.journal()).empty());
  disk_.Acknowledge(1);
  EXPECT_EQ(Write(5010, 10), IoError::kNone);
  EXPECT_EQ(IsolationBreaches(disk_.journal()).size(), 1u);
  EXPECT_EQ(Write(0, 8192, '\0'), IoError::kNone);
  EXPECT_EQ(IsolationBreaches(disk_.journal()).size(), 3u);
}

TEST_F(TraceChecksTest, UnsyncedBytesAreNotAcknowledged) {
  EXPECT_EQ(Write(0, 4096), IoError::kNone);
  disk_.Acknowledge(1);
  EXPECT_EQ(Write(0, 4096), IoError::kNone);
  EXPECT_TRUE(IsolationBreaches(disk_.journal()).empty());
}

TEST_F(TraceChecksTest, AnAnswerBeforeItsSyncIsABreach) {
  EXPECT_EQ(Write(0, 4096), IoError::kNone);
  disk_.Acknowledge(1);
  EXPECT_EQ(Sync(), IoError::kNone);
  const auto breaches = OrderBreaches(disk_.journal());
  ASSERT_EQ(breaches.size(), 1u);
  EXPECT_NE(breaches[0].find("segment has unsynced bytes"), std::string::npos) << breaches[0];
}

TEST_F(TraceChecksTest, AFileThatWasGivenUpNeedsNoSync) {
  ASSERT_EQ(directory_->Create("second", &file_), IoError::kNone);
  EXPECT_EQ(Write(0, 4096), IoError::kNone);
  ASSERT_EQ(directory_->Remove("second"), IoError::kNone);
  disk_.Acknowledge(1);
  EXPECT_TRUE(OrderBreaches(disk_.journal()).empty());
}

TEST_F(TraceChecksTest, AnAnswerAfterAFailedSyncIsABreach) {
  EXPECT_EQ(Write(0, 4096), IoError::kNone);
  disk_.Inject({.kind = CallKind::kSync});
  EXPECT_EQ(Sync(), IoError::kInputOutput);
  EXPECT_TRUE(StickyBreaches(disk_.journal()).empty());
  disk_.Acknowledge(1);
  EXPECT_EQ(OrderBreaches(disk_.journal()).size(), 1u);
  EXPECT_EQ(StickyBreaches(disk_.journal()).size(), 1u);
}

TEST_F(TraceChecksTest, AnAnswerBeforeTheNameIsDurableIsABreach) {
  ASSERT_EQ(directory_->Create("second", &file_), IoError::kNone);
  EXPECT_EQ(Write(0, 4096), IoError::kNone);
  EXPECT_EQ(Sync(), IoError::kNone);
  disk_.Acknowledge(1);
  const auto breaches = OrderBreaches(disk_.journal());
  ASSERT_EQ(breaches.size(), 1u);
  EXPECT_NE(breaches[0].find("second has unsynced names"), std::string::npos) << breaches[0];
}

TEST_F(TraceChecksTest, ARetriedSyncIsABreach) {
  EXPECT_EQ(Write(0, 4096), IoError::kNone);
  disk_.Inject({.kind = CallKind::kSync});
  EXPECT_EQ(Sync(), IoError::kInputOutput);
  disk_.Mark("remark", 1);
  EXPECT_TRUE(StickyBreaches(disk_.journal()).empty());
  EXPECT_EQ(Sync(), IoError::kNone);
  EXPECT_EQ(StickyBreaches(disk_.journal()).size(), 1u);
}

TEST_F(TraceChecksTest, AWriteThatPutNothingDownMayBeFollowedByAnother) {
  disk_.Inject({.kind = CallKind::kWrite, .error = IoError::kNoSpace});
  EXPECT_EQ(Write(0, 4096), IoError::kNoSpace);
  EXPECT_EQ(Write(0, 4096), IoError::kNone);
  EXPECT_TRUE(StickyBreaches(disk_.journal()).empty());
  disk_.Inject({.kind = CallKind::kWrite, .written_bytes = 1});
  EXPECT_EQ(Write(4096, 4096), IoError::kInputOutput);
  EXPECT_EQ(Write(4096, 4096), IoError::kNone);
  EXPECT_EQ(StickyBreaches(disk_.journal()).size(), 1u);
}

}  // namespace
}  // namespace pure::store
