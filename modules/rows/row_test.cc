#include "modules/rows/row.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace pure::modules {
namespace {

std::string Encoded(const std::vector<Field>& fields) {
  std::string row(RowBytes(fields), 'x');
  EXPECT_EQ(EncodeRow(fields, row.data()), row.data() + row.size());
  return row;
}

TEST(RowTest, FieldsComeBack) {
  const Bytes pieces[] = {"he", "llo"};
  const std::vector<Field> fields = {{.number = -5},
                                     {.is_octets = true, .pieces = pieces, .size_bytes = 5},
                                     {.present = false, .is_octets = true},
                                     {.is_octets = true},
                                     {.present = false}};
  const std::string row = Encoded(fields);
  EXPECT_EQ(row.size(), 8 + 5 * 8 + 5u);
  const RowView view(row);
  EXPECT_EQ(view.number(0), -5);
  EXPECT_EQ(view.octets(1), "hello");
  EXPECT_FALSE(view.present(2));
  EXPECT_TRUE(view.present(3));
  EXPECT_EQ(view.octets(3), "");
  EXPECT_FALSE(view.present(4));
  EXPECT_TRUE(IsRow(row, {false, true, true, true, false}));
}

TEST(RowTest, AnyNumberOfFieldsIsPossible) {
  for (const size_t count : {0u, 1u, 63u, 64u}) {
    std::vector<Field> fields(count);
    for (size_t i = 0; i < count; ++i) {
      fields[i] = {.present = i % 3 != 0, .number = static_cast<int64_t>(i)};
    }
    const std::string row = Encoded(fields);
    const RowView view(row);
    for (size_t i = 0; i < count; ++i) {
      EXPECT_EQ(view.present(i), i % 3 != 0);
      EXPECT_EQ(view.number(i), i % 3 != 0 ? static_cast<int64_t>(i) : 0);
    }
  }
}

TEST(RowTest, WhatIsNoRowIsToldApart) {
  const Bytes piece = "text";
  const std::string row =
      Encoded({{.is_octets = true, .pieces = {&piece, 1}, .size_bytes = piece.size()}});
  const std::vector<bool> octets = {true};
  ASSERT_TRUE(IsRow(row, octets));
  EXPECT_FALSE(IsRow("", octets));
  EXPECT_FALSE(IsRow(Bytes(row).substr(0, row.size() - 1), octets));
  EXPECT_FALSE(IsRow(row, {true, true}));
  for (size_t at = 8; at < 16; ++at) {
    std::string bad = row;
    bad[at] = '\xff';
    EXPECT_FALSE(IsRow(bad, octets)) << at;
  }
}

TEST(BlockTest, RowsComeBackAndWhatIsNoBlockIsToldApart) {
  const std::vector<Bytes> rows = {"one", "", "three"};
  std::string block(BlockBytes(rows), 'x');
  ASSERT_EQ(EncodeBlock(rows, block.data()), block.data() + block.size());
  ASSERT_TRUE(IsBlock(block));
  const BlockView view(block);
  ASSERT_EQ(view.size(), 3u);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(view.row(i), rows[i]);
  EXPECT_FALSE(IsBlock(""));
  EXPECT_FALSE(IsBlock(Bytes(block).substr(0, block.size() - 1)));
  EXPECT_FALSE(IsBlock(block + "x"));
  for (size_t at = 0; at < 20; ++at) {
    std::string bad = block;
    bad[at] = '\x7f';
    EXPECT_FALSE(IsBlock(bad)) << at;
  }
}

}  // namespace
}  // namespace pure::modules
