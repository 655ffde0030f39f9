#include "platforms/server/text_file.h"

#include <sys/stat.h>

#include <fstream>
#include <string>

#include "gtest/gtest.h"

namespace pure::server {
namespace {

class TextFileTest : public ::testing::Test {
 protected:
  void Write(const std::string& text) { std::ofstream(path_) << text; }

  const std::string path_ = ::testing::TempDir() + "/text_file_test.txt";
};

TEST_F(TextFileTest, TheWholeFileIsReadUpToItsLimit) {
  const std::string text = std::string(9'999, 'x') + "\n";
  Write(text);
  const auto read = ReadTextFile(path_, 10'000, FilePrivacy::kAny);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, text);
  const auto refused = ReadTextFile(path_, 9'999, FilePrivacy::kAny);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().message(), path_ + ": is larger than 9999 bytes");
}

TEST_F(TextFileTest, AnEmptyFileIsAnEmptyText) {
  Write("");
  const auto read = ReadTextFile(path_, 10, FilePrivacy::kAny);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, "");
}

TEST_F(TextFileTest, PrivacyIsAskedForOnlyWhereItMatters) {
  Write("text");
  ASSERT_EQ(chmod(path_.c_str(), 0644), 0);
  EXPECT_TRUE(ReadTextFile(path_, 10, FilePrivacy::kAny).ok());
  const auto refused = ReadTextFile(path_, 10, FilePrivacy::kOwnerOnly);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kPermissionDenied);
  ASSERT_EQ(chmod(path_.c_str(), 0600), 0);
  EXPECT_TRUE(ReadTextFile(path_, 10, FilePrivacy::kOwnerOnly).ok());
}

TEST_F(TextFileTest, AMissingFileSaysSoInWords) {
  const auto missing = ReadTextFile("/nowhere/at/all", 10, FilePrivacy::kAny);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.status().message(),
            "/nowhere/at/all: can not be opened: No such file or directory");
}

}  // namespace
}  // namespace pure::server
