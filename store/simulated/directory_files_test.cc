#include "store/simulated/directory_files.h"

#include <string>

#include "gtest/gtest.h"

namespace pure::store {
namespace {

TEST(DirectoryFilesTest, WhatIsPutOnADiskIsReadFromItAndSurvivesAPowerCut) {
  const DirectoryFiles files = {
      {"LOCK", ""}, {"a", "1"}, {"b", std::string(5000, 'b')}, {"zeros", std::string(8192, '\0')}};
  const DiskImage image = ImageOf(files);
  EXPECT_EQ(FilesOf(image) == files, true);
  EXPECT_EQ(image.Unsettled().size(), 0u);
  EXPECT_EQ(FilesOf(image.AfterRandomPowerCut(1)) == files, true);
}

TEST(DirectoryFilesTest, AnEmptyDirectoryIsAnEmptyDisk) {
  EXPECT_EQ(FilesOf(ImageOf({})).size(), 0u);
}

}  // namespace
}  // namespace pure::store
