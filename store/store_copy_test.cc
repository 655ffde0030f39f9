#include "store/store_copy.h"

#include <string>

#include "store/testing/store_copy_test_base.h"

namespace pure::store {
namespace {

TEST_F(StoreCopyTest, ACopyOfAClosedStoreHoldsTheSame) {
  Open();
  Fill();
  const Contents before = ContentsOf(store_.get());
  Close();
  const auto files = Files(disk_);
  SimulatedDisk to;
  ASSERT_EQ(Copy(&to, StoreCopy::Source::kIdle), absl::OkStatus());
  EXPECT_EQ(Files(disk_) == files, true);
  Contents contents;
  ASSERT_EQ(OpenWhole(to.LoseUnsyncedImage(), &contents), absl::OkStatus());
  EXPECT_EQ(contents == before, true);
  EXPECT_EQ(counts_.frames, 12u);
  EXPECT_GT(counts_.segments, 2u);
  EXPECT_GE(counts_.frame_bytes, 12u * 9000);
}

TEST_F(StoreCopyTest, ACopyOfAStoreThatIsOpenHoldsWhatWasAcknowledged) {
  Open();
  Fill();
  const Contents before = ContentsOf(store_.get());
  const auto files = Files(disk_);
  SimulatedDisk to;
  ASSERT_EQ(Copy(&to), absl::OkStatus());
  EXPECT_EQ(Files(disk_) == files, true);
  Contents contents;
  ASSERT_EQ(OpenWhole(to.LoseUnsyncedImage(), &contents), absl::OkStatus());
  EXPECT_EQ(contents == before, true);
}

TEST_F(StoreCopyTest, ACopyIsAStoreThatWasClosedAndGoesOn) {
  Open();
  Fill();
  SimulatedDisk to;
  ASSERT_EQ(Copy(&to), absl::OkStatus());
  Kill();
  ASSERT_EQ(TryOpen(&to), absl::OkStatus());
  EXPECT_EQ(store_->repaired_bytes(), 0u);
  const std::string old = Read("key1");
  EXPECT_EQ(Write("key1", "more"), Result::kOk);
  EXPECT_EQ(Read("key1"), std::to_string(old[0] - '0' + 1) + ":more");
}

TEST_F(StoreCopyTest, ACopyCanBeCopiedAgain) {
  Open();
  Fill();
  const Contents before = ContentsOf(store_.get());
  SimulatedDisk to;
  SimulatedDisk back;
  ASSERT_EQ(Copy(&to), absl::OkStatus());
  ASSERT_EQ(Copy(to.OpenDirectory().get(), &back, StoreCopy::Source::kIdle), absl::OkStatus());
  EXPECT_EQ(Files(to) == Files(back), true);
  Contents contents;
  ASSERT_EQ(OpenWhole(back, &contents), absl::OkStatus());
  EXPECT_EQ(contents == before, true);
}

TEST_F(StoreCopyTest, AStoreWithoutSavesCanBeCopied) {
  Open();
  SimulatedDisk to;
  ASSERT_EQ(Copy(&to), absl::OkStatus());
  Kill();
  ASSERT_EQ(TryOpen(&to), absl::OkStatus());
  EXPECT_EQ(Write("a", "first"), Result::kOk);
}

TEST_F(StoreCopyTest, ProgressEndsWithAllBytes) {
  Open();
  Fill();
  StoreCopy copy;
  ASSERT_EQ(copy.Open(disk_.OpenDirectory().get(), StoreCopy::Source::kLive), absl::OkStatus());
  SimulatedDisk to;
  uint64_t last = 0;
  uint64_t of = 0;
  ASSERT_EQ(copy.WriteTo(to.OpenDirectory().get(), &counts_,
                         [&](uint64_t done, uint64_t all) {
                           EXPECT_GT(done, last);
                           last = done;
                           of = all;
                         }),
            absl::OkStatus());
  EXPECT_EQ(last, counts_.frame_bytes);
  EXPECT_EQ(of, last);
}

TEST_F(StoreCopyTest, ADestinationThatIsNotEmptyIsRefusedAndNotTouched) {
  Open();
  Fill(2);
  SimulatedDisk to;
  std::unique_ptr<File> file;
  ASSERT_EQ(to.OpenDirectory()->Create("letter", &file), IoError::kNone);
  const absl::Status status = Copy(&to);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  EXPECT_NE(status.message().find("\"letter\""), std::string::npos) << status;
  EXPECT_EQ(to.Names(), std::vector<std::string>{"letter"});
}

TEST_F(StoreCopyTest, ADirectoryWithoutAStoreIsNotCopied) {
  SimulatedDisk to;
  EXPECT_EQ(Copy(&to, StoreCopy::Source::kIdle).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(disk_.Names().empty(), true);
  EXPECT_EQ(to.Names().empty(), true);
}

TEST_F(StoreCopyTest, AnIdleSourceIsLockedWhereThatCanBe) {
  Open();
  Fill(2);
  SimulatedDisk to;
  const absl::Status in_use = Copy(&to, StoreCopy::Source::kIdle);
  EXPECT_EQ(in_use.code(), absl::StatusCode::kFailedPrecondition) << in_use;
  Close();
  disk_.Inject({.kind = CallKind::kLock, .error = IoError::kRefused});  // a read-only medium
  EXPECT_EQ(Copy(&to, StoreCopy::Source::kIdle), absl::OkStatus());
  EXPECT_EQ(disk_.faults_struck(), 1u);
}

// ---- Damage ----

class DamagedSourceTest : public StoreCopyTest {
 protected:
  void ExpectRefused(const std::string& words) {
    const auto files = Files(disk_);
    SimulatedDisk to;
    const absl::Status status = Copy(&to);
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
    EXPECT_NE(std::string(status.message()).find(words), std::string::npos) << status;
    EXPECT_EQ(Files(disk_) == files, true);
    EXPECT_EQ(Files(to).empty(), true);
  }
};

TEST_F(DamagedSourceTest, ADamagedValueIsNamedWithSegmentOffsetAndKey) {
  Open();
  Fill();
  Close();
  const uint64_t offset = OffsetOf(kFirst, "<1>");
  FlipBit(kFirst, offset + 4000);
  ExpectRefused(absl::StrCat(kFirst, " at offset ", offset,
                             ": the value's checksum does not hold (key key1)"));
}

TEST_F(DamagedSourceTest, ADamagedHeaderOrPaddingIsNamed) {
  Open();
  Fill();
  Close();
  FlipBit(kFirst, kSegmentHeaderBytes + 20);
  ExpectRefused(absl::StrCat(kFirst, " at offset 4096: the header of a saved frame"));
  FlipBit(kFirst, kSegmentHeaderBytes + 20);
  FlipBit(kFirst, 4 * kBlockBytes - 1);
  ExpectRefused("the padding is not zero");
}

TEST_F(DamagedSourceTest, ADamagedFrameOfTheTailThatAnotherFollowsIsNoTornEnd) {
  Open();
  ASSERT_EQ(Write("a", "first"), Result::kOk);
  ASSERT_EQ(Write("b", "second"), Result::kOk);
  ASSERT_EQ(Write("c", "third"), Result::kOk);
  Kill();
  FlipBit(kFirst, OffsetOf(kFirst, "second"));
  ExpectRefused("the frame with number 2 does not hold, but a later one (3) does");
}

TEST_F(DamagedSourceTest, AMissingOrShortSegmentIsNamed) {
  Open();
  Fill();
  Close();
  disk_.Truncate(kFirst, 8192);
  ExpectRefused(absl::StrCat(kFirst, " at offset 8192: the segment was cut short"));
  ASSERT_EQ(disk_.OpenDirectory()->Remove(kFirst), IoError::kNone);
  ExpectRefused("the segment is missing");
}

TEST_F(DamagedSourceTest, AFrameThatWasBeingWrittenIsLeftOut) {
  Open();
  ASSERT_EQ(Write("a", "first"), Result::kOk);
  Contents before = ContentsOf(store_.get());
  ASSERT_EQ(Write("b", "in flight"), Result::kOk);
  Kill();
  FlipBit(kFirst, OffsetOf(kFirst, "in flight"));
  SimulatedDisk to;
  ASSERT_EQ(Copy(&to), absl::OkStatus());
  Contents contents;
  ASSERT_EQ(OpenWhole(to, &contents), absl::OkStatus());
  EXPECT_EQ(contents == before, true);
  EXPECT_EQ(to.Content(kFirst).find("in fligh"), std::string::npos);
}

}  // namespace
}  // namespace pure::store
