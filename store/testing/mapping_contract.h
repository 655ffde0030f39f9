#pragma once

// The part of the Files contract about mappings and checksums. Included by files_contract.h.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "gtest/gtest.h"
#include "store/files.h"
#include "store/testing/files_fixture.h"

namespace pure::store {

TEST_P(FilesContract, AMappingShowsWhatIsWrittenLater) {
  const std::unique_ptr<File> file = Create("a");
  ASSERT_EQ(file->Allocate(8192), IoError::kNone);
  std::unique_ptr<Mapping> whole;
  std::unique_ptr<Mapping> head;
  ASSERT_EQ(file->Map(8192, &whole), IoError::kNone);
  ASSERT_EQ(file->Map(5000, &head), IoError::kNone);
  Write(file.get(), 4998, "wxyz");
  EXPECT_EQ(whole->bytes().size(), 8192u);
  EXPECT_EQ(whole->bytes().substr(4998, 4), "wxyz");
  EXPECT_EQ(head->bytes().size(), 5000u);
  EXPECT_EQ(head->bytes().substr(4998), "wx");
  Write(file.get(), 8192, "beyond");
  EXPECT_EQ(whole->bytes().substr(4998, 4), "wxyz");
}

TEST_P(FilesContract, AnEmptyMappingIsEmpty) {
  const std::unique_ptr<File> file = Create("a");
  std::unique_ptr<Mapping> mapping;
  ASSERT_EQ(file->Map(0, &mapping), IoError::kNone);
  EXPECT_TRUE(mapping->bytes().empty());
  uint32_t crc = 5;
  EXPECT_EQ(mapping->Checksum(0, 0, &crc), IoError::kNone);
  EXPECT_EQ(crc, 5u);
}

TEST_P(FilesContract, AMappingBeyondTheEndFails) {
  const std::unique_ptr<File> file = Create("a");
  Write(file.get(), 0, "four");
  std::unique_ptr<Mapping> mapping;
  EXPECT_EQ(file->Map(5, &mapping), IoError::kInputOutput);
  EXPECT_EQ(mapping, nullptr);
}

// The check value of CRC-32C (Castagnoli): RFC 3720, B.4, and the catalogue's "123456789".
TEST_P(FilesContract, AChecksumIsCrc32cAndContinues) {
  const std::unique_ptr<File> file = Create("a");
  Write(file.get(), 0, "__123456789__");
  std::unique_ptr<Mapping> mapping;
  ASSERT_EQ(file->Map(13, &mapping), IoError::kNone);
  uint32_t crc = 0;
  ASSERT_EQ(mapping->Checksum(2, 9, &crc), IoError::kNone);
  EXPECT_EQ(crc, 0xe3069283u);
  crc = 0;
  ASSERT_EQ(mapping->Checksum(2, 4, &crc), IoError::kNone);
  ASSERT_EQ(mapping->Checksum(6, 5, &crc), IoError::kNone);
  EXPECT_EQ(crc, 0xe3069283u);
}

TEST_P(FilesContract, AChecksumOverATruncatedFileFailsAndTheRestGoesOn) {
  constexpr size_t kSize = 256 * 1024;
  const std::unique_ptr<File> file = Create("a");
  Write(file.get(), 0, Pattern(kSize));
  std::unique_ptr<Mapping> mapping;
  ASSERT_EQ(file->Map(kSize, &mapping), IoError::kNone);
  fixture_->Truncate("a", kSize / 2);
  for (int i = 0; i < 3; ++i) {
    uint32_t crc = 7;
    EXPECT_EQ(mapping->Checksum(0, kSize, &crc), IoError::kInputOutput);
    EXPECT_EQ(crc, 7u);
    EXPECT_EQ(mapping->Checksum(kSize - 1, 1, &crc), IoError::kInputOutput);
    EXPECT_EQ(mapping->Checksum(0, kSize / 2, &crc), IoError::kNone);
    EXPECT_NE(crc, 7u);
  }
}

TEST_P(FilesContract, ChecksumsFailOnEachThreadByItself) {
  constexpr size_t kSize = 256 * 1024;
  const std::unique_ptr<File> good = Create("good");
  const std::unique_ptr<File> cut = Create("cut");
  Write(good.get(), 0, Pattern(kSize));
  Write(cut.get(), 0, Pattern(kSize));
  std::unique_ptr<Mapping> good_mapping;
  std::unique_ptr<Mapping> cut_mapping;
  ASSERT_EQ(good->Map(kSize, &good_mapping), IoError::kNone);
  ASSERT_EQ(cut->Map(kSize, &cut_mapping), IoError::kNone);
  fixture_->Truncate("cut", 0);
  uint32_t expected = 0;
  ASSERT_EQ(good_mapping->Checksum(0, kSize, &expected), IoError::kNone);
  const auto run = [&](const Mapping* mapping, IoError result) {
    for (int i = 0; i < 20; ++i) {
      uint32_t crc = 0;
      EXPECT_EQ(mapping->Checksum(0, kSize, &crc), result);
      EXPECT_EQ(crc, result == IoError::kNone ? expected : 0u);
    }
  };
  std::thread first(run, good_mapping.get(), IoError::kNone);
  std::thread second(run, cut_mapping.get(), IoError::kInputOutput);
  run(cut_mapping.get(), IoError::kInputOutput);
  first.join();
  second.join();
}

}  // namespace pure::store
