#include "bench/store/pieces.h"

#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "runtime/bytes.h"

namespace pure::bench {
namespace {

std::string Joined(const std::vector<Bytes>& pieces) { return absl::StrJoin(pieces, ""); }

TEST(PiecesTest, ASeedDecidesItsBytes) {
  EXPECT_EQ(SeededBytes(1, 13), SeededBytes(1, 13));
  EXPECT_EQ(SeededBytes(1, 13).size(), 13u);
  EXPECT_EQ(SeededBytes(1, 4096).substr(0, 13), SeededBytes(1, 13));
  EXPECT_NE(SeededBytes(1, 13), SeededBytes(2, 13));
}

TEST(PiecesTest, APatternIsRepeatedToTheSize) {
  EXPECT_EQ(Joined(Repeated("abc", 8)), "abcabcab");
  EXPECT_EQ(Joined(Repeated("abc", 6)), "abcabc");
  EXPECT_EQ(Joined(Repeated("abc", 2)), "ab");
  EXPECT_EQ(Repeated("abc", 0).size(), 0u);
}

TEST(PiecesTest, ASpliceAtEachOffsetIsThatOfAString) {
  const std::vector<Bytes> pieces = {"ab", "", "c", "def"};
  for (size_t offset = 0; offset <= 6; ++offset) {
    std::string whole = "abcdef";
    EXPECT_EQ(Joined(Spliced(pieces, offset, "XY")), whole.insert(offset, "XY")) << offset;
  }
  EXPECT_EQ(Joined(Spliced({}, 0, "XY")), "XY");
}

TEST(PiecesTest, ASpliceLeavesNoEmptyPiece) {
  const std::vector<Bytes> pieces = {"ab", "cd"};
  EXPECT_EQ(Spliced(pieces, 0, "X").size(), 3u);
  EXPECT_EQ(Spliced(pieces, 1, "X").size(), 4u);
  EXPECT_EQ(Spliced(pieces, 2, "X").size(), 3u);
  EXPECT_EQ(Spliced(pieces, 4, "X").size(), 3u);
}

TEST(PiecesTest, BytesAreComparedHoweverTheyAreCut) {
  const std::vector<Bytes> pieces = {"ab", "", "cdef"};
  const std::vector<Bytes> same = {"a", "bcd", "ef", ""};
  const std::vector<Bytes> other = {"a", "bcd", "eX"};
  const std::vector<Bytes> shorter = {"abc", "de"};
  EXPECT_EQ(SameBytes(pieces, same), true);
  EXPECT_EQ(SameBytes(pieces, other), false);
  EXPECT_EQ(SameBytes(pieces, shorter), false);
  EXPECT_EQ(SameBytes(shorter, pieces), false);
  EXPECT_EQ(SameBytes({}, {}), true);
  EXPECT_EQ(SameBytes({}, pieces), false);
}

}  // namespace
}  // namespace pure::bench
