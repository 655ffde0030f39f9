#include "store/extent_store.h"

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "store/format.h"
#include "store/simulated/disk_operation.h"
#include "store/testing/simulated_store.h"

namespace pure::store {
namespace {

using ExtentStoreTest = SimulatedStoreTest;

TEST_F(ExtentStoreTest, WhatWasSavedIsThereAfterACleanCloseAndTheNextOpenCopiesNothing) {
  Open();
  ASSERT_EQ(Write("a", "1"), Result::kOk);
  ASSERT_EQ(Write("a", "2"), Result::kOk);
  Close();
  const auto before = Files(disk_);
  Open();
  EXPECT_EQ(store_->repaired_bytes(), 0u);
  EXPECT_EQ(Read("a"), "2:2");
  auto after = Files(disk_);
  EXPECT_EQ(after.at(kFirst) == before.at(kFirst), true);
  EXPECT_EQ(after.size(), before.size());
  ASSERT_EQ(Write("a", "3"), Result::kOk);
  Close();
  Open();
  EXPECT_EQ(Read("a"), "3:3");
  EXPECT_EQ(store_->counters().segments, 1u);
}

TEST_F(ExtentStoreTest, WhatWasSavedIsThereAfterAKillAndTheUnsealedFramesAreCopied) {
  Open();
  ASSERT_EQ(Write("a", "1"), Result::kOk);
  Kill();
  Open();
  EXPECT_EQ(store_->repaired_bytes(), 4096u);
  EXPECT_EQ(Read("a"), "1:1");
  EXPECT_EQ(store_->counters().segments, 1u);
}

TEST_F(ExtentStoreTest, ManyKillsDoNotLeaveManySegments) {
  for (int i = 0; i < 100; ++i) {
    Open();
    ASSERT_EQ(Write("a", std::string(3000, 'x')), Result::kOk);
    Kill();
  }
  Open();
  // 100 frames of 4096 bytes need 7 full segments of 64 KiB; each kept one is at least half full.
  EXPECT_LE(store_->counters().segments, 22u);
  EXPECT_EQ(Read("a").substr(0, 5), "100:x");
}

TEST_F(ExtentStoreTest, ASecondOpeningIsRefusedAndChangesNothing) {
  Open();
  ASSERT_EQ(Write("a", "1"), Result::kOk);
  const auto before = Files(disk_);
  auto second = ExtentStore::Open(disk_.OpenDirectory(), options_);
  EXPECT_EQ(second.status().code(), absl::StatusCode::kFailedPrecondition) << second.status();
  EXPECT_EQ(Files(disk_) == before, true);
  EXPECT_EQ(Write("a", "2"), Result::kOk);
}

TEST_F(ExtentStoreTest, CloseGivesTheLockBack) {
  Open();
  ASSERT_EQ(store_->Close(), absl::OkStatus());
  auto second = ExtentStore::Open(disk_.OpenDirectory(), options_);
  EXPECT_TRUE(second.ok()) << second.status();
}

TEST_F(ExtentStoreTest, TheSegmentsGrowAndTheNextOneIsMadeBeforeItIsNeeded) {
  Open();
  uint64_t creations_in_commit = 0;
  for (int i = 0; i < 200; ++i) {
    const uint64_t before = disk_.calls(CallKind::kCreate);
    ASSERT_EQ(Write(absl::StrCat("key", i), std::string(3000, 'x')), Result::kOk);
    creations_in_commit += disk_.calls(CallKind::kCreate) - before;
    while (store_->DoBackgroundWork()) {
    }
  }
  EXPECT_EQ(creations_in_commit, 0u);
  EXPECT_GE(store_->counters().segments, 12u);
  EXPECT_EQ(disk_.Content(kFirst).size(), 32u << 10);
  EXPECT_EQ(disk_.Content("seg-0000000000000002").size(), 64u << 10);
  EXPECT_EQ(disk_.Content("seg-0000000000000003").size(), 64u << 10);
}

TEST_F(ExtentStoreTest, WithoutBackgroundWorkTheCommitMakesTheSegmentItself) {
  Open();
  for (int i = 0; i < 50; ++i) ASSERT_EQ(Write("a", std::string(3000, 'x')), Result::kOk);
  EXPECT_GE(store_->counters().segments, 4u);
  Kill();
  Open();
  EXPECT_EQ(Read("a").substr(0, 4), "50:x");
}

TEST_F(ExtentStoreTest, AFrameLargerThanASegmentGetsOneOfItsOwnSize) {
  Open();
  const std::string large(500000, 'L');
  ASSERT_EQ(Write("before", "1"), Result::kOk);
  ASSERT_EQ(Write("large", large), Result::kOk);
  ASSERT_EQ(Write("after", "2"), Result::kOk);
  EXPECT_EQ(Read("large") == "1:" + large, true);
  for (int end = 0; end < 2; ++end) {
    end == 0 ? Close() : Kill();
    Open();
    EXPECT_EQ(Read("before"), "1:1");
    EXPECT_EQ(Read("large") == "1:" + large, true);
    EXPECT_EQ(Read("after"), "1:2");
  }
}

TEST_F(ExtentStoreTest, AFrameLargerThanTheSpareTakesItsPlace) {
  Open();
  for (int i = 0; i < 6; ++i) ASSERT_EQ(Write("a", std::string(3000, 'x')), Result::kOk);
  while (store_->DoBackgroundWork()) {
  }
  ASSERT_EQ(store_->counters().segments, 2u);
  ASSERT_EQ(Write("large", std::string(500000, 'L')), Result::kOk);
  EXPECT_EQ(store_->counters().segments, 2u);
  Kill();
  Open();
  EXPECT_EQ(Read("large").size(), 500002u);
  EXPECT_EQ(Read("a").substr(0, 3), "6:x");
}

TEST_F(ExtentStoreTest, AnOpenedSpareIsUsedAfterACleanClose) {
  Open();
  for (int i = 0; i < 6; ++i) ASSERT_EQ(Write("a", std::string(3000, 'x')), Result::kOk);
  while (store_->DoBackgroundWork()) {
  }
  ASSERT_EQ(store_->counters().segments, 2u);
  Close();
  Open();
  EXPECT_EQ(store_->counters().segments, 2u);
  const uint64_t before = disk_.calls(CallKind::kCreate);
  for (int i = 0; i < 6; ++i) ASSERT_EQ(Write("a", std::string(3000, 'y')), Result::kOk);
  EXPECT_EQ(disk_.calls(CallKind::kCreate), before);
  Kill();
  Open();
  EXPECT_EQ(Read("a").substr(0, 4), "12:y");
}

// ---- Reading only ----

TEST_F(ExtentStoreTest, ReadOnlyShowsEverythingAfterAKillAndChangesNothing) {
  Open();
  for (int i = 0; i < 20; ++i) ASSERT_EQ(Write("a", std::string(3000, 'x')), Result::kOk);
  Kill();
  const auto before = Files(disk_);
  OpenReadOnly();
  EXPECT_EQ(Read("a").substr(0, 4), "20:x");
  EXPECT_EQ(Write("a", "y"), Result::kStorage);
  EXPECT_FALSE(store_->DoBackgroundWork());
  VerifyReport report;
  ASSERT_EQ(store_->Verify(&report), absl::OkStatus());
  EXPECT_TRUE(report.damages.empty());
  EXPECT_EQ(report.frames, 20u);
  Close();
  EXPECT_EQ(Files(disk_) == before, true);
}

TEST_F(ExtentStoreTest, ReadOnlyMakesNoStore) {
  EXPECT_EQ(TryOpen(&disk_, true).code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(disk_.Names().empty());
}

// ---- Failures while it runs ----

TEST_F(ExtentStoreTest, AFailedSyncPoisonsAndIsTold) {
  Open();
  ASSERT_EQ(Write("a", "1"), Result::kOk);
  disk_.Inject({.kind = CallKind::kSync});
  EXPECT_EQ(Write("a", "2"), Result::kUncertain);
  EXPECT_EQ(store_->state(), StoreState::kPoisoned);
  const std::string why(store_->failure().message());
  for (const char* words : {"sync of", kFirst, "offset 8192", "input/output error"}) {
    EXPECT_NE(why.find(words), std::string::npos) << why;
  }
  const uint64_t calls = disk_.calls(CallKind::kWrite) + disk_.calls(CallKind::kSync);
  EXPECT_EQ(Write("b", "1"), Result::kStorage);
  EXPECT_FALSE(store_->Close().ok());
  EXPECT_EQ(disk_.calls(CallKind::kWrite) + disk_.calls(CallKind::kSync), calls);
  EXPECT_EQ(Read("a"), "1:1");
}

TEST_F(ExtentStoreTest, AWriteRefusedBeforeItsFirstByteIsNotAppliedAndTheStoreGoesOn) {
  Open();
  ASSERT_EQ(Write("a", "1"), Result::kOk);
  disk_.Inject({.kind = CallKind::kWrite, .error = IoError::kNoSpace});
  EXPECT_EQ(Write("a", "2"), Result::kFull);
  EXPECT_EQ(Read("a"), "1:1");
  EXPECT_EQ(Write("a", "3"), Result::kOk);
  EXPECT_EQ(Read("a"), "2:3");
  Kill();
  Open();
  EXPECT_EQ(Read("a"), "2:3");
}

TEST_F(ExtentStoreTest, AWriteThatWasCutPoisons) {
  Open();
  disk_.Inject({.kind = CallKind::kWrite, .error = IoError::kNoSpace, .written_bytes = 512});
  EXPECT_EQ(Write("a", "1"), Result::kUncertain);
  EXPECT_EQ(store_->state(), StoreState::kPoisoned);
}

TEST_F(ExtentStoreTest, AFailedSyncOfTheSpareInTheBackgroundEndsWritingToo) {
  int told = 0;
  options_.on_failed_sync = [&told] { ++told; };
  Open();
  for (int i = 0; i < 5; ++i) ASSERT_EQ(Write("a", std::string(3000, 'x')), Result::kOk);
  disk_.Inject({.kind = CallKind::kSync});
  while (store_->DoBackgroundWork()) {
  }
  EXPECT_EQ(store_->state(), StoreState::kPoisoned);
  EXPECT_EQ(Write("a", "y"), Result::kStorage);
  EXPECT_EQ(told, 1);
}

TEST_F(ExtentStoreTest, ASaveThatWasProvedCanNotBeTakenForOneInFlight) {
  Open();
  const std::string value(3000, 'x');
  ASSERT_EQ(Write("a", value), Result::kOk);
  store_->SealTail();
  const uint64_t writes = disk_.calls(CallKind::kWrite);
  store_->SealTail();
  EXPECT_EQ(disk_.calls(CallKind::kWrite), writes) << "it is proved already";
  Kill();
  FlipBit(kFirst, OffsetOf(kFirst, value) + 10);
  ExpectRefused(absl::StatusCode::kDataLoss, "seg-0000000000000001 at offset 4096");
}

TEST_F(ExtentStoreTest, AFailedSyncOfTheProofEndsWriting) {
  int told = 0;
  options_.on_failed_sync = [&told] { ++told; };
  Open();
  ASSERT_EQ(Write("a", "x"), Result::kOk);
  disk_.Inject({.kind = CallKind::kSync});
  store_->SealTail();
  EXPECT_EQ(store_->state(), StoreState::kPoisoned);
  EXPECT_EQ(told, 1);
  EXPECT_EQ(Write("a", "y"), Result::kStorage);
}

TEST_F(ExtentStoreTest, PaddingIsZeroOnTheDisk) {
  Open();
  ASSERT_EQ(Write("a", std::string(2000, 'x')), Result::kOk);  // short enough to be copied
  ASSERT_EQ(Write("a", "y"), Result::kOk);                     // into the same buffer
  const std::string frame = disk_.Content(kFirst).substr(8192, 4096);
  const size_t used = kFrameHeaderBytes + EntryBytes(1, 1) + 1 + kFrameFooterBytes;
  EXPECT_EQ(frame.substr(used), std::string(4096 - used, '\0'));
}

TEST_F(ExtentStoreTest, WhatIsLentIsReturnedOnce) {
  Open();
  ASSERT_EQ(Write("a", std::string(3000, 'x')), Result::kOk);
  // One return too many each would close the segment in the end.
  for (int i = 0; i < 100; ++i) ASSERT_EQ(Read("a") == "1:" + std::string(3000, 'x'), true) << i;
}

TEST_F(ExtentStoreTest, BadOptionsAreToldApart) {
  for (ExtentStoreOptions options :
       {ExtentStoreOptions{.segment_bytes = 5000, .entropy = &entropy_},
        ExtentStoreOptions{.first_segment_bytes = 4096, .entropy = &entropy_},
        ExtentStoreOptions{.save_bytes_max = 0, .entropy = &entropy_}, ExtentStoreOptions{}}) {
    EXPECT_EQ(ExtentStore::Open(disk_.OpenDirectory(), options).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

TEST_F(ExtentStoreTest, TheFirstStartWritesLittle) {
  options_ = {.entropy = &entropy_};
  Open();
  EXPECT_LE(disk_.used_bytes(), 2u << 20);
}

}  // namespace
}  // namespace pure::store
