// What a store does when its files are not as it left them.

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "store/extent_store.h"
#include "store/files.h"
#include "store/format.h"
#include "store/simulated/simulated_disk.h"
#include "store/testing/simulated_store.h"
#include "store/wire.h"
#include "tests/testing/seeded_entropy.h"

namespace pure::store {
namespace {

using ExtentStoreDamageTest = SimulatedStoreTest;

// ---- Damage (D8) ----

TEST_F(ExtentStoreDamageTest, AValueWithAFlippedBitIsNeverShownAndNeverAnOlderOne) {
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

TEST_F(ExtentStoreDamageTest, AValueThatWasVerifiedOnceIsTrustedOnlyIfAskedFor) {
  for (const auto verify :
       {ExtentStoreOptions::Verify::kAlways, ExtentStoreOptions::Verify::kFirst}) {
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

TEST_F(ExtentStoreDamageTest, AnUnreadablePageIsAnErrorOfThatReadOnly) {
  Open();
  ASSERT_EQ(Write("a", std::string(5000, 'a')), Result::kOk);
  ASSERT_EQ(Write("b", std::string(5000, 'b')), Result::kOk);
  disk_.FailReads(kFirst, OffsetOf(kFirst, std::string(5000, 'a')), 512);
  EXPECT_EQ(Read("a"), "storage");
  EXPECT_EQ(Read("b").size(), 5002u);
  disk_.ClearFaults();
  EXPECT_EQ(Read("a").size(), 5002u);
}

TEST_F(ExtentStoreDamageTest, ABadFrameInTheSealedPartIsRefusedWithItsPlace) {
  Open();
  for (int i = 0; i < 3; ++i) ASSERT_EQ(Write("a", std::string(100, 'x')), Result::kOk);
  Close();
  FlipBit(kFirst, 4096 + 4096 + 20);
  ExpectRefused(absl::StatusCode::kDataLoss, "seg-0000000000000001 at offset 8192");
}

TEST_F(ExtentStoreDamageTest, ABadFrameBeforeOthersIsDamageAlsoAfterAKill) {
  Open();
  for (int i = 0; i < 3; ++i) ASSERT_EQ(Write("a", std::string(100, 'x')), Result::kOk);
  Kill();
  FlipBit(kFirst, 4096 + 4096 + 20);
  ExpectRefused(absl::StatusCode::kDataLoss, "seg-0000000000000001 at offset 8192");
}

TEST_F(ExtentStoreDamageTest, ABadLastFrameAfterAKillIsTheOneInFlight) {
  Open();
  for (int i = 0; i < 3; ++i) ASSERT_EQ(Write("a", std::string(100, 'x')), Result::kOk);
  Kill();
  FlipBit(kFirst, 4096 * 3 + 200);
  Open();
  EXPECT_EQ(Read("a").substr(0, 2), "2:");
  ASSERT_EQ(Write("a", "3"), Result::kOk);
  EXPECT_EQ(Read("a"), "3:3");
}

TEST_F(ExtentStoreDamageTest, ABadLastFrameOfASegmentWithASuccessorIsDamage) {
  Open();
  for (int i = 0; i < 9; ++i) {
    ASSERT_EQ(Write(absl::StrCat("key", i), std::string(3000, 'x')), Result::kOk);
    // The manifest names the next segment when this one is half full, and no later end of it.
    while (store_->DoBackgroundWork()) {
    }
  }
  Kill();
  FlipBit(kFirst, (32u << 10) - 4096 + 200);
  ExpectRefused(absl::StatusCode::kDataLoss, "seg-0000000000000001 at offset 28672");
}

TEST_F(ExtentStoreDamageTest, ADamagedValueInASealedSegmentDoesNotKeepTheOthersFromBeingServed) {
  Open();
  ASSERT_EQ(Write("a", std::string(100, 'x')), Result::kOk);
  for (int i = 0; i < 20; ++i) ASSERT_EQ(Write("b", std::string(3000, 'y')), Result::kOk);
  Kill();
  FlipBit(kFirst, OffsetOf(kFirst, std::string(100, 'x')));
  Open();
  EXPECT_EQ(Read("a"), "storage");
  EXPECT_EQ(Read("b").substr(0, 4), "20:y");
}

TEST_F(ExtentStoreDamageTest, AMissingSegmentIsRefused) {
  Open();
  for (int i = 0; i < 9; ++i) ASSERT_EQ(Write("a", std::string(100, 'x')), Result::kOk);
  Close();
  ASSERT_EQ(disk_.OpenDirectory()->Remove("seg-0000000000000002"), IoError::kNone);
  ExpectRefused(absl::StatusCode::kDataLoss,
                "seg-0000000000000002 at offset 0: the segment is missing");
}

TEST_F(ExtentStoreDamageTest, AShortenedSegmentIsRefused) {
  Open();
  ASSERT_EQ(Write("a", "1"), Result::kOk);
  Close();
  disk_.Truncate(kFirst, 8192);
  ExpectRefused(absl::StatusCode::kDataLoss, "cut short");
}

TEST_F(ExtentStoreDamageTest, AMissingManifestWithSegmentsIsDamage) {
  Open();
  Close();
  ASSERT_EQ(disk_.OpenDirectory()->Remove("MANIFEST"), IoError::kNone);
  ExpectRefused(absl::StatusCode::kDataLoss, "MANIFEST is missing");
}

TEST_F(ExtentStoreDamageTest, AnOlderManifestIsNoticed) {
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

TEST_F(ExtentStoreDamageTest, ADamagedManifestIsRefused) {
  Open();
  Close();
  FlipBit("MANIFEST", 30);
  ExpectRefused(absl::StatusCode::kDataLoss, "MANIFEST");
}

// ---- Foreign files (D18) ----

TEST_F(ExtentStoreDamageTest, AnotherFormatVersionIsRefused) {
  Open();
  Close();
  std::string manifest = disk_.Content("MANIFEST");
  manifest[8] = 2;
  const uint32_t crc = Crc(Bytes(manifest).substr(0, manifest.size() - 4));
  for (int i = 0; i < 4; ++i) manifest[manifest.size() - 4 + i] = static_cast<char>(crc >> (8 * i));
  disk_.Overwrite("MANIFEST", 0, manifest);
  ExpectRefused(absl::StatusCode::kFailedPrecondition, "version 2");
}

TEST_F(ExtentStoreDamageTest, ADirectoryOfSomethingElseIsRefusedAndNotEvenLocked) {
  std::unique_ptr<File> file;
  ASSERT_EQ(disk_.OpenDirectory()->Create("letter.txt", &file), IoError::kNone);
  ExpectRefused(absl::StatusCode::kFailedPrecondition, "letter.txt");
  EXPECT_EQ(disk_.Names(), std::vector<std::string>({"letter.txt"}));
}

TEST_F(ExtentStoreDamageTest, FilesWithUnknownNamesStayInAStore) {
  Open();
  Kill();
  std::unique_ptr<File> file;
  ASSERT_EQ(disk_.OpenDirectory()->Create("letter.txt", &file), IoError::kNone);
  Open();
  const std::vector<std::string> names = disk_.Names();
  EXPECT_EQ(std::count(names.begin(), names.end(), "letter.txt"), 1);
}

TEST_F(ExtentStoreDamageTest, ASegmentOfAnotherStoreIsRefused) {
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

TEST_F(ExtentStoreDamageTest, ALeftoverSegmentOfACutCreationIsRemoved) {
  Open();
  ASSERT_EQ(Write("a", "1"), Result::kOk);
  Close();
  std::unique_ptr<File> file;
  ASSERT_EQ(disk_.OpenDirectory()->Create("seg-0000000000000009", &file), IoError::kNone);
  file.reset();
  disk_.Overwrite("MANIFEST.tmp", 0, "a manifest that was being written");
  Open();
  EXPECT_EQ(disk_.Names(), std::vector<std::string>({"LOCK", "MANIFEST", "MANIFEST.tmp", kFirst}));
  EXPECT_EQ(Read("a"), "1:1");
}

// Else the ids of the next files would begin behind it, and go beyond the last one.
TEST_F(ExtentStoreDamageTest, AFileWithANumberFarAheadIsRefusedUntilItIsMovedAway) {
  Open();
  ASSERT_EQ(Write("a", "1"), Result::kOk);
  Close();
  for (const char* name : {"seg-ffffffffffffffff", "seg-fffffffffffffffe", "seg-3fffffffffffffff",
                           "checkpoint-fffffffffffffffe"}) {
    std::unique_ptr<File> file;
    ASSERT_EQ(disk_.OpenDirectory()->Create(name, &file), IoError::kNone);
    ExpectRefused(absl::StatusCode::kFailedPrecondition, "no number of this store");
    ASSERT_EQ(disk_.OpenDirectory()->Remove(name), IoError::kNone);
  }
  Open();
  EXPECT_EQ(Read("a"), "1:1");
}

// Somebody made the file, with sound checksums. What is acknowledged after that is kept.
TEST_F(ExtentStoreDamageTest, ARevisionAtTheEndOfTheNumbersLosesNoLaterWrite) {
  for (uint64_t revision : {kRevisionMax, kRevisionMax + 1}) {
    SimulatedDisk disk;
    ASSERT_EQ(TryOpen(&disk), absl::OkStatus());
    ASSERT_EQ(Write("key", "value"), Result::kOk);
    Kill();
    std::string bytes = disk.Content(kFirst);
    FrameHeader header;
    const size_t at = kSegmentHeaderBytes;
    ASSERT_EQ(DecodeFrameHeader(Bytes(bytes).substr(at, kFrameHeaderBytes), &header), Decoded::kOk);
    PutU64(bytes.data() + at + kFrameHeaderBytes + 8, revision);
    header.entries_crc = Crc(Bytes(bytes).substr(at + kFrameHeaderBytes, header.entries_bytes));
    EncodeFrameHeader(&header, MutableBytes(bytes.data() + at, kFrameHeaderBytes));
    EncodeFrameFooter(header,
                      MutableBytes(bytes.data() + header.payload_offset() + header.payload_bytes,
                                   kFrameFooterBytes));
    disk.Overwrite(kFirst, 0, bytes);
    ASSERT_EQ(TryOpen(&disk), absl::OkStatus());
    ASSERT_EQ(Write("key", "second"), Result::kOk);
    const bool was_written = handle_->staged()[0].result == Result::kOk;
    EXPECT_EQ(was_written, revision > kRevisionMax);  // that frame does not hold
    ASSERT_EQ(Write("other", "third"), Result::kOk);
    Kill();
    ASSERT_EQ(TryOpen(&disk), absl::OkStatus());
    EXPECT_EQ(Read("key"), was_written ? "1:second" : absl::StrCat(kRevisionMax, ":value"));
    EXPECT_EQ(Read("other"), "1:third");
    Kill();
  }
}

}  // namespace
}  // namespace pure::store
