#include "store/extent_store.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "store/format.h"
#include "store/manifest.h"
#include "store/simulated/simulated_disk.h"
#include "store/testing/print.h"
#include "tests/testing/seeded_entropy.h"

namespace pure::store {
namespace {

constexpr char kFirst[] = "seg-0000000000000001";

class ExtentStoreTest : public ::testing::Test {
 protected:
  absl::Status TryOpen(SimulatedDisk* disk, bool read_only = false) {
    ExtentStoreOptions options = options_;
    options.read_only = read_only;
    auto opened = ExtentStore::Open(disk->OpenDirectory(), options);
    if (opened.ok()) {
      store_ = *std::move(opened);
      handle_ = store_->NewHandle();
    }
    return opened.status();
  }
  void Open() { ASSERT_EQ(TryOpen(&disk_), absl::OkStatus()); }
  void OpenReadOnly() { ASSERT_EQ(TryOpen(&disk_, true), absl::OkStatus()); }
  void Kill() {
    handle_.reset();
    store_.reset();
  }
  void Close() {
    EXPECT_EQ(store_->Close(), absl::OkStatus());
    Kill();
  }
  Result Write(Bytes key, Bytes value) {
    handle_->TakeLook();
    Found found;
    EXPECT_EQ(handle_->Peek(key, &found), Result::kOk);
    EXPECT_EQ(handle_->Stage(key, found.revision, absl::MakeConstSpan(&value, 1)), Result::kOk);
    return handle_->Commit();
  }
  std::string Read(Bytes key) {
    handle_->TakeLook();
    Found found;
    const Result result = handle_->Find(key, &found);
    if (result != Result::kOk) return std::string(ResultName(result));
    std::string text = absl::StrCat(found.revision, ":");
    for (Bytes span : found.value.spans()) text.append(span);
    return text;
  }
  // Everything that the disk holds but the lock.
  static std::map<std::string, std::string> Files(const SimulatedDisk& disk) {
    std::map<std::string, std::string> files;
    for (const std::string& name : disk.Names()) {
      if (name != kLockFileName) files[name] = disk.Content(name);
    }
    return files;
  }
  // The place of a value's bytes in a file.
  uint64_t OffsetOf(const std::string& name, const std::string& value) {
    const size_t offset = disk_.Content(name).find(value);
    EXPECT_NE(offset, std::string::npos);
    return offset;
  }
  void FlipBit(const std::string& name, uint64_t offset) {
    const std::string flipped(1, static_cast<char>(disk_.Content(name)[offset] ^ 0x10));
    disk_.Overwrite(name, offset, flipped);
  }
  // Opening must be refused with this code, and may not change a byte.
  void ExpectRefused(absl::StatusCode code, const std::string& words) {
    const auto before = Files(disk_);
    const absl::Status status = TryOpen(&disk_);
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_NE(std::string(status.message()).find(words), std::string::npos) << status;
    EXPECT_EQ(Files(disk_) == before, true);
  }

  pure::testing::SeededEntropy entropy_{7};
  ExtentStoreOptions options_{.segment_bytes = 64u << 10,
                              .first_segment_bytes = 32u << 10,
                              .save_bytes_max = 1u << 20,
                              .entropy = &entropy_};
  SimulatedDisk disk_;
  std::unique_ptr<ExtentStore> store_;
  std::unique_ptr<StoreHandle> handle_;
};

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
    ASSERT_EQ(Write("a", std::string(3000, 'x')), Result::kOk);
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

// ---- Damage (D8) ----

TEST_F(ExtentStoreTest, AValueWithAFlippedBitIsNeverShownAndNeverAnOlderOne) {
  Open();
  const std::string value(5000, 'v');
  ASSERT_EQ(Write("a", "old"), Result::kOk);
  ASSERT_EQ(Write("a", value), Result::kOk);
  ASSERT_EQ(Write("b", "fine"), Result::kOk);
  FlipBit(kFirst, OffsetOf(kFirst, value) + 1234);
  EXPECT_EQ(Read("a"), "storage");
  EXPECT_EQ(Read("a"), "storage");
  EXPECT_EQ(Read("b"), "1:fine");
  VerifyReport report;
  ASSERT_EQ(store_->Verify(&report), absl::OkStatus());
  ASSERT_EQ(report.damages.size(), 1u);
  EXPECT_EQ(report.damages[0].key, "a");
  EXPECT_EQ(report.damages[0].revision, 2u);
  EXPECT_EQ(report.damages[0].segment, 1u);
  EXPECT_EQ(report.damages[0].offset, OffsetOf(kFirst, value.substr(0, 1000)));
  EXPECT_EQ(report.frames, 3u);
  EXPECT_EQ(report.values, 2u);
}

TEST_F(ExtentStoreTest, AValueThatWasVerifiedOnceIsTrustedOnlyIfAskedFor) {
  for (const auto verify : {ExtentStoreOptions::Verify::kAlways, ExtentStoreOptions::Verify::kFirst}) {
    options_.verify = verify;
    Open();
    const std::string value = verify == ExtentStoreOptions::Verify::kFirst ? "one" : "two";
    ASSERT_EQ(Write(value, value + std::string(3000, 'v')), Result::kOk);
    ASSERT_NE(Read(value), "storage");
    const std::string name = disk_.Names().back();
    FlipBit(name, OffsetOf(name, value + std::string(3000, 'v')));
    EXPECT_EQ(Read(value) == "storage", verify == ExtentStoreOptions::Verify::kAlways);
    Close();
  }
}

TEST_F(ExtentStoreTest, AnUnreadablePageIsAnErrorOfThatReadOnly) {
  Open();
  ASSERT_EQ(Write("a", std::string(5000, 'a')), Result::kOk);
  ASSERT_EQ(Write("b", std::string(5000, 'b')), Result::kOk);
  disk_.FailReads(kFirst, OffsetOf(kFirst, std::string(5000, 'a')), 512);
  EXPECT_EQ(Read("a"), "storage");
  EXPECT_EQ(Read("b").size(), 5002u);
  disk_.ClearFaults();
  EXPECT_EQ(Read("a").size(), 5002u);
}

TEST_F(ExtentStoreTest, ABadFrameInTheSealedPartIsRefusedWithItsPlace) {
  Open();
  for (int i = 0; i < 3; ++i) ASSERT_EQ(Write("a", std::string(100, 'x')), Result::kOk);
  Close();
  FlipBit(kFirst, 4096 + 4096 + 20);
  ExpectRefused(absl::StatusCode::kDataLoss, "seg-0000000000000001 at offset 8192");
}

TEST_F(ExtentStoreTest, ABadFrameBeforeOthersIsDamageAlsoAfterAKill) {
  Open();
  for (int i = 0; i < 3; ++i) ASSERT_EQ(Write("a", std::string(100, 'x')), Result::kOk);
  Kill();
  FlipBit(kFirst, 4096 + 4096 + 20);
  ExpectRefused(absl::StatusCode::kDataLoss, "seg-0000000000000001 at offset 8192");
}

TEST_F(ExtentStoreTest, ABadLastFrameAfterAKillIsTheOneInFlight) {
  Open();
  for (int i = 0; i < 3; ++i) ASSERT_EQ(Write("a", std::string(100, 'x')), Result::kOk);
  Kill();
  FlipBit(kFirst, 4096 * 3 + 200);
  Open();
  EXPECT_EQ(Read("a").substr(0, 2), "2:");
  ASSERT_EQ(Write("a", "3"), Result::kOk);
  EXPECT_EQ(Read("a"), "3:3");
}

TEST_F(ExtentStoreTest, ABadLastFrameOfASegmentWithASuccessorIsDamage) {
  Open();
  for (int i = 0; i < 9; ++i) {
    ASSERT_EQ(Write("a", std::string(100, 'x')), Result::kOk);
    // The manifest names the next segment when this one is half full, and no later end of it.
    while (store_->DoBackgroundWork()) {
    }
  }
  Kill();
  FlipBit(kFirst, (32u << 10) - 4096 + 200);
  ExpectRefused(absl::StatusCode::kDataLoss, "seg-0000000000000001 at offset 28672");
}

TEST_F(ExtentStoreTest, ADamagedValueInASealedSegmentDoesNotKeepTheOthersFromBeingServed) {
  Open();
  ASSERT_EQ(Write("a", std::string(100, 'x')), Result::kOk);
  for (int i = 0; i < 20; ++i) ASSERT_EQ(Write("b", std::string(3000, 'y')), Result::kOk);
  Kill();
  FlipBit(kFirst, OffsetOf(kFirst, std::string(100, 'x')));
  Open();
  EXPECT_EQ(Read("a"), "storage");
  EXPECT_EQ(Read("b").substr(0, 4), "20:y");
}

TEST_F(ExtentStoreTest, AMissingSegmentIsRefused) {
  Open();
  for (int i = 0; i < 9; ++i) ASSERT_EQ(Write("a", std::string(100, 'x')), Result::kOk);
  Close();
  ASSERT_EQ(disk_.OpenDirectory()->Remove("seg-0000000000000002"), IoError::kNone);
  ExpectRefused(absl::StatusCode::kDataLoss, "seg-0000000000000002 at offset 0: the segment is missing");
}

TEST_F(ExtentStoreTest, AShortenedSegmentIsRefused) {
  Open();
  ASSERT_EQ(Write("a", "1"), Result::kOk);
  Close();
  disk_.Truncate(kFirst, 8192);
  ExpectRefused(absl::StatusCode::kDataLoss, "cut short");
}

TEST_F(ExtentStoreTest, AMissingManifestWithSegmentsIsDamage) {
  Open();
  Close();
  ASSERT_EQ(disk_.OpenDirectory()->Remove("MANIFEST"), IoError::kNone);
  ExpectRefused(absl::StatusCode::kDataLoss, "MANIFEST is missing");
}

TEST_F(ExtentStoreTest, AnOlderManifestIsNoticed) {
  Open();
  ASSERT_EQ(Write("a", "1"), Result::kOk);
  const std::string old = disk_.Content("MANIFEST");
  for (int i = 0; i < 30; ++i) ASSERT_EQ(Write("a", std::string(3000, 'x')), Result::kOk);
  Close();
  // As long as today's: the tail is kept by the checksum's refusal otherwise.
  const auto directory = disk_.OpenDirectory();
  ASSERT_EQ(directory->Remove("MANIFEST"), IoError::kNone);
  std::unique_ptr<File> file;
  ASSERT_EQ(directory->Create("MANIFEST", &file), IoError::kNone);
  uint64_t written_bytes = 0;
  ASSERT_EQ(file->Write(0, {Bytes(old)}, &written_bytes), IoError::kNone);
  file.reset();
  ExpectRefused(absl::StatusCode::kDataLoss, "MANIFEST is older");
}

TEST_F(ExtentStoreTest, ADamagedManifestIsRefused) {
  Open();
  Close();
  FlipBit("MANIFEST", 30);
  ExpectRefused(absl::StatusCode::kDataLoss, "MANIFEST");
}

// ---- Foreign files (D18) ----

TEST_F(ExtentStoreTest, AnotherFormatVersionIsRefused) {
  Open();
  Close();
  std::string manifest = disk_.Content("MANIFEST");
  manifest[8] = 2;
  const uint32_t crc = Crc(Bytes(manifest).substr(0, manifest.size() - 4));
  for (int i = 0; i < 4; ++i) manifest[manifest.size() - 4 + i] = static_cast<char>(crc >> (8 * i));
  disk_.Overwrite("MANIFEST", 0, manifest);
  ExpectRefused(absl::StatusCode::kFailedPrecondition, "version 2");
}

TEST_F(ExtentStoreTest, ADirectoryOfSomethingElseIsRefusedAndNotEvenLocked) {
  std::unique_ptr<File> file;
  ASSERT_EQ(disk_.OpenDirectory()->Create("letter.txt", &file), IoError::kNone);
  ExpectRefused(absl::StatusCode::kFailedPrecondition, "letter.txt");
  EXPECT_EQ(disk_.Names(), std::vector<std::string>({"letter.txt"}));
}

TEST_F(ExtentStoreTest, FilesWithUnknownNamesStayInAStore) {
  Open();
  Kill();
  std::unique_ptr<File> file;
  ASSERT_EQ(disk_.OpenDirectory()->Create("letter.txt", &file), IoError::kNone);
  Open();
  const std::vector<std::string> names = disk_.Names();
  EXPECT_EQ(std::count(names.begin(), names.end(), "letter.txt"), 1);
}

TEST_F(ExtentStoreTest, ASegmentOfAnotherStoreIsRefused) {
  Open();
  Close();
  SimulatedDisk other;
  pure::testing::SeededEntropy entropy(99);
  options_.entropy = &entropy;
  ASSERT_EQ(TryOpen(&other), absl::OkStatus());
  Close();
  disk_.Overwrite(kFirst, 0, other.Content(kFirst).substr(0, 4096));
  ExpectRefused(absl::StatusCode::kFailedPrecondition, "another store");
}

TEST_F(ExtentStoreTest, ALeftoverSegmentOfACutCreationIsRemoved) {
  Open();
  ASSERT_EQ(Write("a", "1"), Result::kOk);
  Close();
  std::unique_ptr<File> file;
  ASSERT_EQ(disk_.OpenDirectory()->Create("seg-0000000000000009", &file), IoError::kNone);
  ASSERT_EQ(disk_.OpenDirectory()->Create("MANIFEST.tmp", &file), IoError::kNone);
  file.reset();
  Open();
  EXPECT_EQ(disk_.Names(), std::vector<std::string>({"LOCK", "MANIFEST", kFirst}));
  EXPECT_EQ(Read("a"), "1:1");
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
  Open();
  for (int i = 0; i < 5; ++i) ASSERT_EQ(Write("a", std::string(3000, 'x')), Result::kOk);
  disk_.Inject({.kind = CallKind::kSync});
  while (store_->DoBackgroundWork()) {
  }
  EXPECT_EQ(store_->state(), StoreState::kPoisoned);
  EXPECT_EQ(Write("a", "y"), Result::kStorage);
}

TEST_F(ExtentStoreTest, PaddingIsZeroOnTheDisk) {
  Open();
  ASSERT_EQ(Write("a", std::string(3000, 'x')), Result::kOk);
  ASSERT_EQ(Write("a", "y"), Result::kOk);  // the same buffer, shorter
  const std::string frame = disk_.Content(kFirst).substr(8192, 4096);
  const size_t used = kFrameHeaderBytes + EntryBytes(1, 1) + 1 + kFrameFooterBytes;
  EXPECT_EQ(frame.substr(used), std::string(4096 - used, '\0'));
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
