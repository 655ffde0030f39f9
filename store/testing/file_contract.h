#pragma once

// The part of the Files contract about reads, writes, lengths and syncs. Included by
// files_contract.h.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "store/files.h"
#include "store/testing/files_fixture.h"

namespace pure::store {

TEST_P(FilesContract, AFileOpenedForReadingTakesNoChange) {
  Write(Create("a").get(), 0, "kept");
  std::unique_ptr<File> file;
  ASSERT_EQ(directory_->Open("a", /*writable=*/false, &file), IoError::kNone);
  uint64_t written_bytes = 7;
  EXPECT_EQ(file->Write(0, {Bytes("lost")}, &written_bytes), IoError::kRefused);
  EXPECT_EQ(written_bytes, 0u);
  EXPECT_EQ(file->Sync(), IoError::kRefused);
  EXPECT_EQ(file->Allocate(4096), IoError::kRefused);
  EXPECT_EQ(Size(*file), 4u);
  EXPECT_EQ(Read(*file, 0, 4), "kept");
}

TEST_P(FilesContract, TwoHandlesShowTheSameBytes) {
  const std::unique_ptr<File> writer = Create("a");
  std::unique_ptr<File> reader;
  ASSERT_EQ(fixture_->OpenDirectory()->Open("a", false, &reader), IoError::kNone);
  Write(writer.get(), 0, "first");
  EXPECT_EQ(Read(*reader, 0, 5), "first");
  Write(writer.get(), 2, "RS");
  EXPECT_EQ(Read(*reader, 0, 5), "fiRSt");
}

TEST_P(FilesContract, AWriteGathersItsSpansInOrder) {
  const std::unique_ptr<File> file = Create("a");
  uint64_t written_bytes = 0;
  ASSERT_EQ(file->Write(3, {Bytes("one"), Bytes(), Bytes("two"), Bytes("")}, &written_bytes),
            IoError::kNone);
  EXPECT_EQ(written_bytes, 6u);
  EXPECT_EQ(Size(*file), 9u);
  EXPECT_EQ(Read(*file, 0, 9), std::string("\0\0\0onetwo", 9));
}

TEST_P(FilesContract, AWriteOfNothingChangesNothing) {
  const std::unique_ptr<File> file = Create("a");
  uint64_t written_bytes = 7;
  EXPECT_EQ(file->Write(100, {}, &written_bytes), IoError::kNone);
  EXPECT_EQ(written_bytes, 0u);
  EXPECT_EQ(file->Write(100, {Bytes(), Bytes()}, &written_bytes), IoError::kNone);
  EXPECT_EQ(Size(*file), 0u);
}

TEST_P(FilesContract, AWriteMayHaveMoreSpansThanOneSystemCallTakes) {
  const std::string bytes = Pattern(5000);
  std::vector<Bytes> spans;
  for (size_t i = 0; i < bytes.size(); ++i) {
    spans.push_back(Bytes(bytes).substr(i, 1));
    if (i % 3 == 0) spans.push_back(Bytes());
  }
  const std::unique_ptr<File> file = Create("a");
  uint64_t written_bytes = 0;
  ASSERT_EQ(file->Write(10, spans, &written_bytes), IoError::kNone);
  EXPECT_EQ(written_bytes, bytes.size());
  EXPECT_EQ(Read(*file, 10, bytes.size()), bytes);
}

TEST_P(FilesContract, ALargeWriteComesBackWhole) {
  const std::string bytes = Pattern((1 << 20) + 13);
  const std::unique_ptr<File> file = Create("a");
  Write(file.get(), 4096, bytes);
  EXPECT_EQ(Read(*file, 4096, bytes.size()), bytes);
  EXPECT_EQ(Read(*file, 0, 4096), std::string(4096, '\0'));
}

TEST_P(FilesContract, AReadBeyondTheEndFails) {
  const std::unique_ptr<File> file = Create("a");
  Write(file.get(), 0, "four");
  std::string bytes(5, '?');
  EXPECT_EQ(file->Read(0, absl::MakeSpan(bytes)), IoError::kInputOutput);
  EXPECT_EQ(file->Read(~uint64_t{0}, absl::MakeSpan(bytes)), IoError::kInputOutput);
  EXPECT_EQ(file->Read(4, MutableBytes()), IoError::kNone);
}

TEST_P(FilesContract, AllocateMakesZerosOfThatLength) {
  const std::unique_ptr<File> file = Create("a");
  Write(file.get(), 0, "head");
  ASSERT_EQ(file->Allocate(10000), IoError::kNone);
  EXPECT_EQ(Size(*file), 10000u);
  EXPECT_EQ(Read(*file, 0, 4), "head");
  EXPECT_EQ(Read(*file, 4, 9996), std::string(9996, '\0'));
}

TEST_P(FilesContract, AllocateNeverShortens) {
  const std::unique_ptr<File> file = Create("a");
  Write(file.get(), 0, Pattern(5000));
  ASSERT_EQ(file->Allocate(4096), IoError::kNone);
  ASSERT_EQ(file->Allocate(0), IoError::kNone);
  EXPECT_EQ(Read(*file, 0, 5000), Pattern(5000));
}

TEST_P(FilesContract, SyncsSucceedAlsoWithoutAChange) {
  const std::unique_ptr<File> file = Create("a");
  EXPECT_EQ(file->Sync(), IoError::kNone);
  Write(file.get(), 0, "x");
  EXPECT_EQ(file->Sync(), IoError::kNone);
  EXPECT_EQ(file->Sync(), IoError::kNone);
  EXPECT_EQ(directory_->Sync(), IoError::kNone);
  EXPECT_EQ(directory_->Sync(), IoError::kNone);
}

TEST_P(FilesContract, ThreadsWriteAndReadTheirOwnRanges) {
  constexpr size_t kRange = 8192;
  const std::unique_ptr<File> file = Create("a");
  ASSERT_EQ(file->Allocate(4 * kRange), IoError::kNone);
  std::unique_ptr<Mapping> mapping;
  ASSERT_EQ(file->Map(4 * kRange, &mapping), IoError::kNone);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        const std::string bytes(kRange, static_cast<char>('a' + i));
        Write(file.get(), t * kRange, bytes);
        EXPECT_EQ(file->Sync(), IoError::kNone);
        EXPECT_EQ(Read(*file, t * kRange, kRange), bytes);
        EXPECT_EQ(mapping->bytes().substr(t * kRange, kRange), bytes);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace pure::store
