#pragma once

// What the parts of the Files contract stand on: a directory to test, and short words for its
// calls.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "store/files.h"
#include "store/testing/print.h"

namespace pure::store {

// One fresh, empty directory; gone with the fixture.
class FilesFixture {
 public:
  virtual ~FilesFixture() = default;
  // One more Directory on it, as another process would have.
  virtual std::unique_ptr<Directory> OpenDirectory() = 0;
  // Cuts a file from outside.
  virtual void Truncate(const std::string& name, uint64_t size_bytes) = 0;
};
using NewFilesFixture = std::unique_ptr<FilesFixture> (*)();

class FilesContract : public ::testing::TestWithParam<NewFilesFixture> {
 protected:
  void SetUp() override {
    fixture_ = GetParam()();
    directory_ = fixture_->OpenDirectory();
  }

  std::unique_ptr<File> Create(const std::string& name) {
    std::unique_ptr<File> file;
    EXPECT_EQ(directory_->Create(name, &file), IoError::kNone);
    return file;
  }
  static void Write(File* file, uint64_t offset, const std::string& bytes) {
    uint64_t written_bytes = 0;
    EXPECT_EQ(file->Write(offset, {Bytes(bytes)}, &written_bytes), IoError::kNone);
    EXPECT_EQ(written_bytes, bytes.size());
  }
  static std::string Read(const File& file, uint64_t offset, size_t size) {
    std::string bytes(size, '?');
    EXPECT_EQ(file.Read(offset, absl::MakeSpan(bytes)), IoError::kNone);
    return bytes;
  }
  static uint64_t Size(const File& file) {
    uint64_t size_bytes = 0;
    EXPECT_EQ(file.Size(&size_bytes), IoError::kNone);
    return size_bytes;
  }
  std::vector<std::string> List() {
    std::vector<std::string> names;
    EXPECT_EQ(directory_->List(&names), IoError::kNone);
    return names;
  }
  // Bytes that differ from place to place.
  static std::string Pattern(size_t size) {
    std::string bytes(size, '\0');
    for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 131 + i / 257);
    return bytes;
  }

  std::unique_ptr<FilesFixture> fixture_;
  std::unique_ptr<Directory> directory_;
};

}  // namespace pure::store
