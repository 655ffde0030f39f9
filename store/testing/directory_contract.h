#pragma once

// The part of the Files contract about names, renames, lifetimes and the lock. Included by
// files_contract.h.

#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "store/files.h"
#include "store/testing/files_fixture.h"

namespace pure::store {

TEST_P(FilesContract, ANewDirectoryListsNothing) { EXPECT_TRUE(List().empty()); }

TEST_P(FilesContract, NamesAreListedSorted) {
  Create("seg-2");
  Create("MANIFEST");
  Create("seg-1");
  EXPECT_EQ(List(), (std::vector<std::string>{"MANIFEST", "seg-1", "seg-2"}));
}

TEST_P(FilesContract, AListReplacesWhatTheCallerHad) {
  std::vector<std::string> names = {"old"};
  EXPECT_EQ(directory_->List(&names), IoError::kNone);
  EXPECT_TRUE(names.empty());
}

TEST_P(FilesContract, ACreatedFileIsEmptyAndWritable) {
  const std::unique_ptr<File> file = Create("a");
  EXPECT_EQ(Size(*file), 0u);
  Write(file.get(), 0, "octets");
  EXPECT_EQ(Read(*file, 0, 6), "octets");
}

TEST_P(FilesContract, CreateDoesNotTouchAFileThatIsThere) {
  Write(Create("a").get(), 0, "kept");
  std::unique_ptr<File> second;
  EXPECT_EQ(directory_->Create("a", &second), IoError::kExists);
  EXPECT_EQ(second, nullptr);
  std::unique_ptr<File> file;
  ASSERT_EQ(directory_->Open("a", false, &file), IoError::kNone);
  EXPECT_EQ(Read(*file, 0, 4), "kept");
}

TEST_P(FilesContract, NamesThatAreNotPlainAreRefused) {
  Create("a");
  const std::string with_nul("b\0c", 3);
  for (const std::string& name : {std::string(), std::string("."), std::string(".."),
                                  std::string("a/b"), std::string("/tmp/a"), with_nul}) {
    std::unique_ptr<File> file;
    EXPECT_EQ(directory_->Create(name, &file), IoError::kRefused) << name;
    EXPECT_EQ(directory_->Open(name, false, &file), IoError::kRefused) << name;
    EXPECT_EQ(directory_->Remove(name), IoError::kRefused) << name;
    EXPECT_EQ(directory_->Rename("a", name), IoError::kRefused) << name;
    EXPECT_EQ(directory_->Rename(name, "b"), IoError::kRefused) << name;
  }
  EXPECT_EQ(List(), std::vector<std::string>{"a"});
}

TEST_P(FilesContract, AMissingFileIsNotFound) {
  std::unique_ptr<File> file;
  EXPECT_EQ(directory_->Open("none", true, &file), IoError::kNotFound);
  EXPECT_EQ(directory_->Remove("none"), IoError::kNotFound);
  EXPECT_EQ(directory_->Rename("none", "b"), IoError::kNotFound);
  EXPECT_TRUE(List().empty());
}

TEST_P(FilesContract, ARenameReplacesItsTarget) {
  Write(Create("new").get(), 0, "new");
  Write(Create("old").get(), 0, "old");
  ASSERT_EQ(directory_->Rename("new", "old"), IoError::kNone);
  EXPECT_EQ(List(), std::vector<std::string>{"old"});
  std::unique_ptr<File> file;
  ASSERT_EQ(directory_->Open("old", false, &file), IoError::kNone);
  EXPECT_EQ(Read(*file, 0, 3), "new");
}

TEST_P(FilesContract, ARenameOntoItselfChangesNothing) {
  Write(Create("a").get(), 0, "kept");
  ASSERT_EQ(directory_->Rename("a", "a"), IoError::kNone);
  EXPECT_EQ(List(), std::vector<std::string>{"a"});
}

TEST_P(FilesContract, ARemovedFileStaysUsableWhileItIsHeld) {
  const std::unique_ptr<File> file = Create("a");
  Write(file.get(), 0, "kept");
  std::unique_ptr<Mapping> mapping;
  ASSERT_EQ(file->Map(4, &mapping), IoError::kNone);
  ASSERT_EQ(directory_->Remove("a"), IoError::kNone);
  ASSERT_EQ(directory_->Sync(), IoError::kNone);
  EXPECT_TRUE(List().empty());
  EXPECT_EQ(Read(*file, 0, 4), "kept");
  EXPECT_EQ(mapping->bytes(), "kept");
  Write(Create("a").get(), 0, "newer");
  EXPECT_EQ(Read(*file, 0, 4), "kept");
}

TEST_P(FilesContract, FilesAndMappingsOutliveWhatTheyCameFrom) {
  std::unique_ptr<File> file = Create("a");
  directory_.reset();
  Write(file.get(), 0, "kept");
  std::unique_ptr<Mapping> mapping;
  ASSERT_EQ(file->Map(4, &mapping), IoError::kNone);
  file.reset();
  EXPECT_EQ(mapping->bytes(), "kept");
  uint32_t crc = 0;
  EXPECT_EQ(mapping->Checksum(0, 4, &crc), IoError::kNone);
}

TEST_P(FilesContract, TheLockExcludesOthersUntilItIsReturned) {
  std::unique_ptr<DirectoryLock> lock;
  ASSERT_EQ(directory_->Lock(0, &lock), IoError::kNone);
  const std::unique_ptr<Directory> other = fixture_->OpenDirectory();
  std::unique_ptr<DirectoryLock> second;
  EXPECT_EQ(other->Lock(0, &second), IoError::kLocked);
  EXPECT_EQ(other->Lock(20, &second), IoError::kLocked);
  EXPECT_EQ(directory_->Lock(0, &second), IoError::kLocked);
  EXPECT_EQ(second, nullptr);
  lock.reset();
  EXPECT_EQ(other->Lock(0, &second), IoError::kNone);
  EXPECT_EQ(directory_->Lock(0, &lock), IoError::kLocked);
}

TEST_P(FilesContract, TheLockOutlivesItsDirectory) {
  std::unique_ptr<DirectoryLock> lock;
  ASSERT_EQ(directory_->Lock(0, &lock), IoError::kNone);
  directory_.reset();
  std::unique_ptr<DirectoryLock> second;
  EXPECT_EQ(fixture_->OpenDirectory()->Lock(0, &second), IoError::kLocked);
}

TEST_P(FilesContract, TheLockFileIsAnEntryAndStays) {
  std::unique_ptr<DirectoryLock> lock;
  ASSERT_EQ(directory_->Lock(0, &lock), IoError::kNone);
  EXPECT_EQ(List(), std::vector<std::string>{std::string(kLockFileName)});
  lock.reset();
  EXPECT_EQ(List(), std::vector<std::string>{std::string(kLockFileName)});
}

}  // namespace pure::store
