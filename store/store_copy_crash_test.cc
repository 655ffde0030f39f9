// A copy that ends anywhere: the source is as it was, and the destination is the whole store, or
// none.

#include <string>

#include "store/simulated/crash_enumerator.h"
#include "store/testing/store_copy_test_base.h"

namespace pure::store {
namespace {

class StoppedCopyTest : public StoreCopyTest {
 protected:
  void SetUp() override {
    Open();
    Fill(6);
    before_ = ContentsOf(store_.get());
    files_ = Files(disk_);
  }
  // The whole store, or none; never a part of it.
  void ExpectWholeOrNone(const DiskImage& image, bool* whole) {
    Contents contents;
    const absl::Status status = OpenWhole(image, &contents);
    *whole = status.ok();
    if (status.ok()) {
      EXPECT_EQ(contents == before_, true);
    } else {
      EXPECT_EQ(status.code() == absl::StatusCode::kNotFound ||
                    status.code() == absl::StatusCode::kDataLoss,
                true)
          << status;
    }
    EXPECT_EQ(Files(disk_) == files_, true);
  }

  Contents before_;
  std::map<std::string, std::string> files_;
};

TEST_F(StoppedCopyTest, AKillOrAPowerCutAnywhereLeavesTheWholeStoreOrNone) {
  SimulatedDisk to;
  ASSERT_EQ(Copy(&to), absl::OkStatus());
  const DiskJournal journal = to.journal();
  uint64_t whole_images = 0;
  const CrashCounts counts =
      CrashEnumerator(journal).ForEach([&](const CrashPoint& point, const DiskImage& image) {
        bool whole = false;
        ExpectWholeOrNone(image, &whole);
        whole_images += whole;
        if (point.operations_done == journal.operations.size()) {
          EXPECT_EQ(whole, true);
        }
        if (HasFailure()) ADD_FAILURE() << point.Describe();
        return !HasFailure();
      });
  EXPECT_GT(counts.images, 500u);
  EXPECT_GT(whole_images, 0u);
}

TEST_F(StoppedCopyTest, WhatAnInterruptedCopyLeftIsRefusedAsADestinationAndNotTouched) {
  SimulatedDisk to;
  ASSERT_EQ(Copy(&to), absl::OkStatus());
  const DiskJournal journal = to.journal();
  CrashEnumerator(journal, {.power_cuts = false, .kill_cuts_max = 1})
      .ForEach([&](const CrashPoint& point, const DiskImage& image) {
        SimulatedDisk left(image, {.keep_journal = false});
        const auto files = Files(left);
        const absl::Status again = Copy(&left);
        if (files.empty()) {
          EXPECT_EQ(again, absl::OkStatus());
        } else {
          EXPECT_EQ(again.code(), absl::StatusCode::kFailedPrecondition) << again;
          EXPECT_EQ(Files(left) == files, true);
        }
        if (HasFailure()) ADD_FAILURE() << point.Describe();
        return !HasFailure();
      });
}

TEST_F(StoppedCopyTest, AnyCallOfTheDestinationMayFail) {
  for (const IoError error : {IoError::kInputOutput, IoError::kNoSpace}) {
    for (const uint64_t written_bytes : {0, 4096}) {
      bool struck = true;
      for (uint64_t call = 0; struck; ++call) {
        SimulatedDisk to;
        to.Inject({.skip = call, .error = error, .written_bytes = written_bytes});
        const absl::Status status = Copy(&to);
        struck = to.faults_struck() > 0;
        const bool sync_failed = status.code() == absl::StatusCode::kAborted;
        bool whole = false;
        ExpectWholeOrNone(to.KillImage(), &whole);
        // After a failed sync of the directory all of it may be there.
        EXPECT_EQ(whole, status.ok() || (whole && sync_failed)) << call << " " << status;
        // What can be removed was removed, so that the next try finds an empty directory.
        if (!status.ok() && !sync_failed) {
          EXPECT_EQ(Files(to).empty(), true) << call << " " << status;
        }
        ExpectWholeOrNone(to.LoseUnsyncedImage(), &whole);
        if (status.ok()) {
          EXPECT_EQ(whole, true) << call;
        }
        ASSERT_EQ(HasFailure(), false) << call << " " << status;
      }
    }
  }
}

TEST_F(StoppedCopyTest, AnyCallOfTheSourceMayFail) {
  bool struck = true;
  uint64_t refused = 0;
  for (uint64_t call = 0; struck; ++call) {
    SimulatedDisk to;
    const uint64_t before = disk_.faults_struck();
    disk_.Inject({.skip = call});
    const absl::Status status = Copy(&to);
    struck = disk_.faults_struck() > before;
    disk_.ClearFaults();
    bool whole = false;
    ExpectWholeOrNone(to.KillImage(), &whole);
    EXPECT_EQ(whole, status.ok()) << call << " " << status;
    refused += !status.ok();
    ASSERT_EQ(HasFailure(), false) << call << " " << status;
  }
  EXPECT_GT(refused, 10u);
}

// The source after any crash: what the recovery would find is copied.
TEST_F(StoppedCopyTest, AStoreThatWasKilledIsCopiedUpToItsLastSoundFrame) {
  const DiskJournal journal = disk_.journal();
  uint64_t copied = 0;
  CrashEnumerator(journal, {.exhaustive_changes = 3, .random_subsets = 4, .garbage_images = 0})
      .ForEach([&](const CrashPoint& point, const DiskImage& image) {
        Contents expected;
        const absl::Status opened = OpenWhole(image, &expected);
        SimulatedDisk from(image, {.keep_journal = false});
        SimulatedDisk to;
        const absl::Status status = Copy(from.OpenDirectory().get(), &to);
        EXPECT_EQ(status.code(), opened.code()) << status << " " << opened;
        Contents contents;
        if (status.ok()) {
          EXPECT_EQ(OpenWhole(to, &contents), absl::OkStatus());
          ++copied;
        }
        EXPECT_EQ(contents == expected, true);
        if (HasFailure()) ADD_FAILURE() << point.Describe();
        return !HasFailure();
      });
  EXPECT_GT(copied, 500u);
}

}  // namespace
}  // namespace pure::store
