#include "store/simulated/page_table.h"

#include <string>

#include "absl/types/span.h"
#include "gtest/gtest.h"

namespace pure::store {
namespace {

std::string Read(const PageTable& table, uint64_t offset, size_t size) {
  std::string bytes(size, '?');
  table.Read(offset, absl::MakeSpan(bytes));
  return bytes;
}

TEST(PageTableTest, WhatWasNeverWrittenIsZeros) {
  PageTable table;
  EXPECT_EQ(Read(table, 1'000'000, 3), std::string(3, '\0'));
  table.Write(10, "x");
  EXPECT_EQ(Read(table, 9, 3), std::string("\0x\0", 3));
}

TEST(PageTableTest, WritesGoAcrossPages) {
  PageTable table;
  const std::string bytes(3 * kPageBytes, 'b');
  table.Write(kPageBytes - 5, bytes);
  EXPECT_EQ(Read(table, kPageBytes - 5, bytes.size()), bytes);
  EXPECT_EQ(Read(table, kPageBytes - 6, 1), std::string(1, '\0'));
  EXPECT_EQ(Read(table, kPageBytes - 5 + bytes.size(), 1), std::string(1, '\0'));
}

TEST(PageTableTest, ACopyIsApart) {
  PageTable table;
  table.Write(0, "old");
  PageTable copy = table;
  table.Write(0, "new");
  EXPECT_EQ(Read(copy, 0, 3), "old");
  copy.Write(1, "X");
  EXPECT_EQ(Read(table, 0, 3), "new");
  EXPECT_EQ(Read(copy, 0, 3), "oXd");
}

TEST(PageTableTest, SectorsKnowWhetherTheyWereWritten) {
  PageTable table;
  table.Write(2 * kSectorBytes - 1, "ab");
  EXPECT_FALSE(table.Written(0));
  EXPECT_TRUE(table.Written(1));
  EXPECT_TRUE(table.Written(2));
  EXPECT_FALSE(table.Written(3));
  EXPECT_FALSE(table.Written(1000));
  table.ClearSector(1);
  EXPECT_FALSE(table.Written(1));
  EXPECT_EQ(Read(table, 2 * kSectorBytes - 1, 2), std::string("\0b", 2));
}

TEST(PageTableTest, TruncateForgetsWhatLiesBehind) {
  PageTable table;
  table.Write(0, std::string(2 * kPageBytes, 'x'));
  table.Truncate(kSectorBytes + 1);
  EXPECT_EQ(Read(table, kSectorBytes, 3), std::string("x\0\0", 3));
  EXPECT_EQ(Read(table, kPageBytes, 1), std::string(1, '\0'));
  EXPECT_TRUE(table.Written(1));
  EXPECT_FALSE(table.Written(2));
  table.Truncate(0);
  EXPECT_FALSE(table.Written(0));
}

TEST(PageTableTest, PagesOfZerosAreWrittenPagesOfTheirOwn) {
  PageTable table;
  table.Write(0, std::string(2 * kPageBytes, '\0'));
  EXPECT_TRUE(table.Written(0));
  EXPECT_TRUE(table.Written(15));
  EXPECT_FALSE(table.Written(16));
  table.Write(kPageBytes, "x");
  EXPECT_EQ(Read(table, 0, 1), std::string(1, '\0'));
  EXPECT_EQ(Read(table, kPageBytes, 2), std::string("x\0", 2));
  table.Write(kPageBytes, std::string(kPageBytes, '\0'));
  EXPECT_EQ(Read(table, kPageBytes, 1), std::string(1, '\0'));
}

TEST(PageTableTest, ReadingIntoZerosIsReading) {
  PageTable table;
  table.Write(0, std::string(kPageBytes, '\0'));
  table.Write(kPageBytes + 5, "octets");
  table.Write(3 * kPageBytes, "beyond");
  std::string bytes(3 * kPageBytes - 7, '\0');
  table.ReadIntoZeros(absl::MakeSpan(bytes));
  EXPECT_EQ(bytes, Read(table, 0, bytes.size()));
}

TEST(PageTableTest, AReadSectorKeepsItsBytes) {
  PageTable table;
  table.Write(0, "old");
  const std::shared_ptr<const Sector> sector = table.ReadSector(0);
  table.Write(0, "new");
  EXPECT_EQ(std::string(sector->data(), 3), "old");
}

}  // namespace
}  // namespace pure::store
