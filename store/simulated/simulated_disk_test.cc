#include "store/simulated/simulated_disk.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "store/testing/print.h"

namespace pure::store {
namespace {

class SimulatedDiskTest : public ::testing::Test {
 protected:
  std::unique_ptr<File> Create(const std::string& name) {
    std::unique_ptr<File> file;
    EXPECT_EQ(directory_->Create(name, &file), IoError::kNone);
    return file;
  }
  static IoError Write(File* file, uint64_t offset, const std::string& bytes,
                       uint64_t* written_bytes = nullptr) {
    uint64_t ignored = 0;
    return file->Write(offset, {Bytes(bytes)}, written_bytes ? written_bytes : &ignored);
  }
  static std::string Repeat(char letter, size_t count) { return std::string(count, letter); }

  SimulatedDisk disk_;
  std::unique_ptr<Directory> directory_ = disk_.OpenDirectory();
};

TEST_F(SimulatedDiskTest, TheJournalRebuildsTheDisk) {
  const std::unique_ptr<File> a = Create("a");
  EXPECT_EQ(a->Allocate(10'000), IoError::kNone);
  EXPECT_EQ(Write(a.get(), 100, "octets"), IoError::kNone);
  EXPECT_EQ(a->Sync(), IoError::kNone);
  EXPECT_EQ(directory_->Sync(), IoError::kNone);
  Create("b");
  EXPECT_EQ(directory_->Rename("b", "c"), IoError::kNone);
  EXPECT_EQ(directory_->Remove("c"), IoError::kNone);
  const DiskJournal journal = disk_.journal();
  DiskImage image = journal.initial;
  for (const DiskOperation& operation : journal.operations) image.Apply(operation);
  EXPECT_EQ(image.Names(), disk_.Names());
  EXPECT_EQ(image.Content("a"), disk_.Content("a"));
  EXPECT_EQ(image.Unsettled().size(), 3u) << "create, rename, remove";
}

TEST_F(SimulatedDiskTest, TheJournalSaysWhatWasDone) {
  const std::unique_ptr<File> a = Create("a");
  EXPECT_EQ(Write(a.get(), 8, "octets"), IoError::kNone);
  disk_.Inject({.kind = CallKind::kSync, .error = IoError::kNoSpace});
  EXPECT_EQ(a->Sync(), IoError::kNoSpace);
  disk_.Inject({.kind = CallKind::kWrite, .written_bytes = 2});
  EXPECT_EQ(Write(a.get(), 14, "more"), IoError::kInputOutput);
  EXPECT_EQ(directory_->Rename("a", "b"), IoError::kNone);
  disk_.Acknowledge(7);
  std::vector<std::string> lines;
  for (const DiskOperation& operation : disk_.journal().operations) {
    lines.push_back(DescribeOperation(operation));
  }
  EXPECT_EQ(lines, (std::vector<std::string>{"create a", "write a 8+6",
                                             "sync a: no space left on the device",
                                             "write a 14+4 (2 written): input/output error",
                                             "rename a to b", "mark acknowledged 7"}));
}

TEST_F(SimulatedDiskTest, ARestartedDiskBeginsItsJournalAnew) {
  EXPECT_EQ(Write(Create("a").get(), 0, "octets"), IoError::kNone);
  SimulatedDisk restarted(disk_.KillImage());
  EXPECT_TRUE(restarted.journal().operations.empty());
  EXPECT_EQ(restarted.Content("a"), "octets");
  std::unique_ptr<File> file;
  ASSERT_EQ(restarted.OpenDirectory()->Open("a", true, &file), IoError::kNone);
  EXPECT_EQ(Write(file.get(), 0, "OC"), IoError::kNone);
  EXPECT_EQ(restarted.Content("a"), "OCtets");
  EXPECT_EQ(restarted.journal().initial.Content("a"), "octets");
  EXPECT_EQ(disk_.Content("a"), "octets") << "the disk before is undisturbed";
}

TEST_F(SimulatedDiskTest, APowerCutLosesWhatIsNotSyncedAndAKillNothing) {
  const std::unique_ptr<File> a = Create("a");
  EXPECT_EQ(Write(a.get(), 0, "synced"), IoError::kNone);
  EXPECT_EQ(a->Sync(), IoError::kNone);
  EXPECT_EQ(directory_->Sync(), IoError::kNone);
  EXPECT_EQ(Write(a.get(), 0, "SYN"), IoError::kNone);
  Create("b");
  EXPECT_EQ(disk_.LoseUnsyncedImage().Content("a"), "synced");
  EXPECT_EQ(disk_.LoseUnsyncedImage().Names(), std::vector<std::string>{"a"});
  EXPECT_EQ(disk_.KillImage().Content("a"), "SYNced");
  EXPECT_EQ(disk_.KillImage().Names(), (std::vector<std::string>{"a", "b"}));
}

TEST_F(SimulatedDiskTest, TheLockEndsWithTheProcess) {
  std::unique_ptr<DirectoryLock> lock;
  ASSERT_EQ(directory_->Lock(0, &lock), IoError::kNone);
  SimulatedDisk restarted(disk_.KillImage());
  std::unique_ptr<DirectoryLock> second;
  EXPECT_EQ(restarted.OpenDirectory()->Lock(0, &second), IoError::kNone);
}

TEST_F(SimulatedDiskTest, AFaultStrikesTheChosenCallOnce) {
  const std::unique_ptr<File> a = Create("a");
  disk_.Inject({.kind = CallKind::kWrite, .skip = 1, .error = IoError::kNoSpace});
  EXPECT_EQ(disk_.faults_struck(), 0u);
  EXPECT_EQ(Write(a.get(), 0, "1"), IoError::kNone);
  EXPECT_EQ(a->Sync(), IoError::kNone);
  EXPECT_EQ(Write(a.get(), 1, "2"), IoError::kNoSpace);
  EXPECT_EQ(disk_.faults_struck(), 1u);
  EXPECT_EQ(Write(a.get(), 1, "3"), IoError::kNone);
  EXPECT_EQ(disk_.Content("a"), "13");
}

TEST_F(SimulatedDiskTest, AFaultForEverStrikesUntilItIsCleared) {
  const std::unique_ptr<File> a = Create("a");
  disk_.Inject({.kind = CallKind::kSync, .for_ever = true});
  EXPECT_EQ(a->Sync(), IoError::kInputOutput);
  EXPECT_EQ(a->Sync(), IoError::kInputOutput);
  disk_.ClearFaults();
  EXPECT_EQ(a->Sync(), IoError::kNone);
}

TEST_F(SimulatedDiskTest, AFaultWithoutAKindCountsEveryCall) {
  const uint64_t calls_before = disk_.calls();
  disk_.Inject({.skip = 2});
  Create("a");
  std::vector<std::string> names;
  EXPECT_EQ(directory_->List(&names), IoError::kNone);
  EXPECT_EQ(directory_->Sync(), IoError::kInputOutput);
  EXPECT_EQ(directory_->Sync(), IoError::kNone);
  EXPECT_EQ(disk_.calls() - calls_before, 4u);
  EXPECT_EQ(disk_.calls(CallKind::kSyncDirectory), 2u);
}

TEST_F(SimulatedDiskTest, EveryKindOfCallCanFail) {
  const std::unique_ptr<File> a = Create("a");
  EXPECT_EQ(Write(a.get(), 0, "octets"), IoError::kNone);
  std::unique_ptr<Mapping> mapping;
  ASSERT_EQ(a->Map(6, &mapping), IoError::kNone);
  disk_.Inject({.error = IoError::kDescriptors, .for_ever = true});
  std::vector<std::string> names;
  std::unique_ptr<File> file;
  std::unique_ptr<DirectoryLock> lock;
  std::unique_ptr<Mapping> other;
  std::string bytes(1, '?');
  uint64_t number = 0;
  uint32_t crc = 0;
  EXPECT_EQ(directory_->List(&names), IoError::kDescriptors);
  EXPECT_EQ(directory_->Create("b", &file), IoError::kDescriptors);
  EXPECT_EQ(directory_->Open("a", false, &file), IoError::kDescriptors);
  EXPECT_EQ(directory_->Rename("a", "b"), IoError::kDescriptors);
  EXPECT_EQ(directory_->Remove("a"), IoError::kDescriptors);
  EXPECT_EQ(directory_->Sync(), IoError::kDescriptors);
  EXPECT_EQ(directory_->Lock(0, &lock), IoError::kDescriptors);
  EXPECT_EQ(a->Size(&number), IoError::kDescriptors);
  EXPECT_EQ(a->Read(0, absl::MakeSpan(bytes)), IoError::kDescriptors);
  EXPECT_EQ(Write(a.get(), 0, "OCTETS"), IoError::kDescriptors);
  EXPECT_EQ(a->Sync(), IoError::kDescriptors);
  EXPECT_EQ(a->Allocate(100), IoError::kDescriptors);
  EXPECT_EQ(a->Map(1, &other), IoError::kDescriptors);
  EXPECT_EQ(mapping->Checksum(0, 1, &crc), IoError::kDescriptors);
  EXPECT_EQ(disk_.Names(), std::vector<std::string>{"a"});
  EXPECT_EQ(disk_.Content("a"), "octets");
}

TEST_F(SimulatedDiskTest, AWriteThatFailsMayHaveWrittenItsBeginning) {
  const std::unique_ptr<File> a = Create("a");
  EXPECT_EQ(Write(a.get(), 0, Repeat('.', 2000)), IoError::kNone);
  disk_.Inject({.kind = CallKind::kWrite, .written_bytes = 700});
  uint64_t written_bytes = 0;
  EXPECT_EQ(Write(a.get(), 100, Repeat('x', 1500), &written_bytes), IoError::kInputOutput);
  EXPECT_EQ(written_bytes, 700u);
  EXPECT_EQ(disk_.Content("a"), Repeat('.', 100) + Repeat('x', 700) + Repeat('.', 1200));
}

TEST_F(SimulatedDiskTest, AFailedSyncIsForgottenByTheNextOneButNotByThePower) {
  const std::unique_ptr<File> a = Create("a");
  EXPECT_EQ(Write(a.get(), 0, "old"), IoError::kNone);
  EXPECT_EQ(a->Sync(), IoError::kNone);
  EXPECT_EQ(directory_->Sync(), IoError::kNone);
  EXPECT_EQ(Write(a.get(), 0, "new"), IoError::kNone);
  disk_.Inject({.kind = CallKind::kSync});
  EXPECT_EQ(a->Sync(), IoError::kInputOutput);
  EXPECT_EQ(a->Sync(), IoError::kNone);
  std::string shown(3, '?');
  EXPECT_EQ(a->Read(0, absl::MakeSpan(shown)), IoError::kNone);
  EXPECT_EQ(shown, "new");
  std::set<std::string> after;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    after.insert(disk_.PowerCutImage(seed).Content("a"));
  }
  EXPECT_EQ(after.count("old"), 1u);
  EXPECT_EQ(after.count("new"), 1u);
}

TEST_F(SimulatedDiskTest, DroppedCachesChangeWhatIsReadOnlyWithoutAMapping) {
  const std::unique_ptr<File> a = Create("a");
  EXPECT_EQ(Write(a.get(), 0, Repeat('.', 64 * 512)), IoError::kNone);
  EXPECT_EQ(a->Sync(), IoError::kNone);
  EXPECT_EQ(Write(a.get(), 0, Repeat('x', 64 * 512)), IoError::kNone);
  disk_.Inject({.kind = CallKind::kSync});
  EXPECT_EQ(a->Sync(), IoError::kInputOutput);
  std::unique_ptr<Mapping> mapping;
  ASSERT_EQ(a->Map(512, &mapping), IoError::kNone);
  disk_.DropCaches(1);
  EXPECT_EQ(disk_.Content("a"), Repeat('x', 64 * 512));
  mapping.reset();
  disk_.DropCaches(1);
  EXPECT_NE(disk_.Content("a"), Repeat('x', 64 * 512));
}

TEST_F(SimulatedDiskTest, UnreadableRangesFailReadsAndChecksumsThatTouchThem) {
  const std::unique_ptr<File> a = Create("a");
  EXPECT_EQ(Write(a.get(), 0, Repeat('x', 300)), IoError::kNone);
  std::unique_ptr<Mapping> mapping;
  ASSERT_EQ(a->Map(300, &mapping), IoError::kNone);
  disk_.FailReads("a", 100, 100);
  std::string bytes(100, '?');
  uint32_t crc = 0;
  EXPECT_EQ(a->Read(0, absl::MakeSpan(bytes)), IoError::kNone);
  EXPECT_EQ(a->Read(1, absl::MakeSpan(bytes)), IoError::kInputOutput);
  EXPECT_EQ(a->Read(199, absl::MakeSpan(bytes)), IoError::kInputOutput);
  EXPECT_EQ(a->Read(200, absl::MakeSpan(bytes)), IoError::kNone);
  EXPECT_EQ(mapping->Checksum(0, 300, &crc), IoError::kInputOutput);
  EXPECT_EQ(mapping->Checksum(200, 100, &crc), IoError::kNone);
  disk_.ClearFaults();
  EXPECT_EQ(mapping->Checksum(0, 300, &crc), IoError::kNone);
}

TEST_F(SimulatedDiskTest, AFullDiskTakesWhatFitsAndGoesOnWhenSpaceReturns) {
  disk_.SetCapacity(3 * 4096);
  const std::unique_ptr<File> a = Create("a");
  EXPECT_EQ(a->Allocate(2 * 4096), IoError::kNone);
  const std::unique_ptr<File> b = Create("b");
  EXPECT_EQ(b->Allocate(4097), IoError::kNoSpace);
  EXPECT_EQ(disk_.used_bytes(), 2 * 4096u);
  uint64_t written_bytes = 0;
  EXPECT_EQ(Write(b.get(), 0, Repeat('x', 5000), &written_bytes), IoError::kNoSpace);
  EXPECT_EQ(written_bytes, 4096u);
  EXPECT_EQ(Write(b.get(), 4096, "x", &written_bytes), IoError::kNoSpace);
  EXPECT_EQ(written_bytes, 0u);
  EXPECT_EQ(Write(a.get(), 0, Repeat('x', 2 * 4096)), IoError::kNone) << "it is reserved";
  EXPECT_EQ(directory_->Remove("a"), IoError::kNone);
  EXPECT_EQ(Write(b.get(), 4096, "x"), IoError::kNoSpace) << "the removed file is open still";
  disk_.SetCapacity(4 * 4096);
  EXPECT_EQ(Write(b.get(), 4096, "x"), IoError::kNone);
}

TEST_F(SimulatedDiskTest, TheSpaceOfARemovedFileReturnsWithItsLastHandle) {
  disk_.SetCapacity(4096);
  std::unique_ptr<File> a = Create("a");
  EXPECT_EQ(a->Allocate(4096), IoError::kNone);
  const std::unique_ptr<File> b = Create("b");
  EXPECT_EQ(directory_->Remove("a"), IoError::kNone);
  std::unique_ptr<Mapping> mapping;
  ASSERT_EQ(a->Map(4096, &mapping), IoError::kNone);
  a.reset();
  EXPECT_EQ(b->Allocate(4096), IoError::kNoSpace);
  mapping.reset();
  EXPECT_EQ(b->Allocate(4096), IoError::kNone);
}

TEST_F(SimulatedDiskTest, ChangesFromBehindAreSeenEverywhere) {
  const std::unique_ptr<File> a = Create("a");
  EXPECT_EQ(Write(a.get(), 0, "octets"), IoError::kNone);
  std::unique_ptr<Mapping> mapping;
  ASSERT_EQ(a->Map(6, &mapping), IoError::kNone);
  disk_.Overwrite("a", 2, "TE");
  EXPECT_EQ(mapping->bytes(), "ocTEts");
  EXPECT_EQ(disk_.Content("a"), "ocTEts");
  disk_.Truncate("a", 3);
  uint32_t crc = 0;
  EXPECT_EQ(mapping->Checksum(0, 6, &crc), IoError::kInputOutput);
  EXPECT_EQ(disk_.Content("a"), "ocT");
}

TEST(SimulatedDiskOptionsTest, WithoutAJournalOnlyTheImageIsKept) {
  SimulatedDiskOptions options;
  options.keep_journal = false;
  SimulatedDisk disk(options);
  std::unique_ptr<File> file;
  ASSERT_EQ(disk.OpenDirectory()->Create("a", &file), IoError::kNone);
  EXPECT_TRUE(disk.journal().operations.empty());
  EXPECT_EQ(disk.Names(), std::vector<std::string>{"a"});
}

TEST(SimulatedDiskOptionsTest, HandlesOutliveTheDisk) {
  auto disk = std::make_unique<SimulatedDisk>();
  std::unique_ptr<File> file;
  ASSERT_EQ(disk->OpenDirectory()->Create("a", &file), IoError::kNone);
  disk.reset();
  uint64_t written_bytes = 0;
  EXPECT_EQ(file->Write(0, {Bytes("x")}, &written_bytes), IoError::kNone);
}

}  // namespace
}  // namespace pure::store
