#include "platforms/server/file_watch.h"

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "gtest/gtest.h"

namespace pure::server {
namespace {

class FileWatchTest : public ::testing::Test {
 protected:
  void Write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }
  const std::string path_ = ::testing::TempDir() + "/watched";
};

TEST_F(FileWatchTest, AChangeIsToldOnceItHasSettled) {
  Write(path_, "one");
  FileWatch watch(path_);
  EXPECT_FALSE(watch.Changed());
  EXPECT_TRUE(watch.Changed()) << "it was not known";
  EXPECT_FALSE(watch.Changed());
  Write(path_, "three");
  EXPECT_FALSE(watch.Changed()) << "it may be written on";
  Write(path_, "eleven");
  EXPECT_FALSE(watch.Changed());
  EXPECT_TRUE(watch.Changed());
  EXPECT_FALSE(watch.Changed());
}

TEST_F(FileWatchTest, AnotherFileInItsPlaceIsAChange) {
  Write(path_, "one");
  FileWatch watch(path_);
  EXPECT_FALSE(watch.Changed());
  EXPECT_TRUE(watch.Changed()) << "it was not known";
  Write(path_ + "~", "two");
  ASSERT_EQ(std::rename((path_ + "~").c_str(), path_.c_str()), 0);
  EXPECT_FALSE(watch.Changed());
  EXPECT_TRUE(watch.Changed());
}

TEST_F(FileWatchTest, AMissingFileIsWaitedFor) {
  Write(path_, "one");
  FileWatch watch(path_);
  EXPECT_FALSE(watch.Changed());
  EXPECT_TRUE(watch.Changed()) << "it was not known";
  ASSERT_EQ(unlink(path_.c_str()), 0);
  EXPECT_FALSE(watch.Changed());
  EXPECT_FALSE(watch.Changed());
  Write(path_, "one");
  EXPECT_FALSE(watch.Changed());
  EXPECT_TRUE(watch.Changed());
}

}  // namespace
}  // namespace pure::server
