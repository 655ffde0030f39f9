#include "modules/octets.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace pure::modules {
namespace {

// A value cut into pieces of the given sizes, the last as long as it takes.
class Cut {
 public:
  Cut(std::string text, std::vector<size_t> sizes) : text_(std::move(text)) {
    Bytes rest = text_;
    for (size_t size : sizes) {
      pieces_.push_back(rest.substr(0, size));
      rest.remove_prefix(pieces_.back().size());
    }
    if (!rest.empty()) pieces_.push_back(rest);
  }
  Octets octets(Origin origin = Origin::kOwn) const {
    return {pieces_.data(), pieces_.size(), text_.size(), origin};
  }

 private:
  std::string text_;
  std::vector<Bytes> pieces_;
};

std::string TextOf(const Octets& octets) {
  std::string text(octets.size_bytes, '#');
  EXPECT_EQ(CopyOctets(octets, text.data()), text.data() + text.size());
  return text;
}

TEST(OctetsTest, ComparisonDoesNotDependOnHowValuesAreCut) {
  const std::vector<std::string> texts = {"", "a", "ab", "abc", "abd", "b", "\xFF"};
  for (const std::string& a : texts) {
    for (const std::string& b : texts) {
      for (size_t cut_a = 0; cut_a <= 2; ++cut_a) {
        for (size_t cut_b = 0; cut_b <= 2; ++cut_b) {
          const int order = CompareOctets(Cut(a, {cut_a, 1}).octets(), Cut(b, {cut_b}).octets());
          EXPECT_EQ(order < 0, a < b) << a << " " << b;
          EXPECT_EQ(order == 0, a == b) << a << " " << b;
        }
      }
    }
  }
}

TEST(OctetsTest, SmallJoinsAreOnePieceAndLargeOnesKeepTheirs) {
  Arena arena(1 << 20);
  const Cut small("hello ", {2});
  const Cut large(std::string(300, 'x'), {100, 100});
  Octets joined;
  ASSERT_TRUE(JoinOctets(small.octets(), small.octets(), &arena, &joined));
  EXPECT_EQ(joined.count, 1u);
  EXPECT_EQ(TextOf(joined), "hello hello ");
  ASSERT_TRUE(JoinOctets(large.octets(), small.octets(), &arena, &joined));
  EXPECT_EQ(joined.count, 5u);
  EXPECT_EQ(joined.pieces[0].data(), large.octets().pieces[0].data());
  EXPECT_EQ(TextOf(joined), std::string(300, 'x') + "hello ");
}

TEST(OctetsTest, JoiningNothingIsTheOtherSideItself) {
  Arena arena(1 << 20);
  const Cut text("abc", {1});
  const Cut empty("", {});
  Octets joined;
  ASSERT_TRUE(JoinOctets(text.octets(), empty.octets(), &arena, &joined));
  EXPECT_EQ(joined.pieces, text.octets().pieces);
  ASSERT_TRUE(JoinOctets(empty.octets(), text.octets(), &arena, &joined));
  EXPECT_EQ(joined.pieces, text.octets().pieces);
}

TEST(OctetsTest, StoredOctetsAreNeverCopied) {
  Arena arena(1 << 20);
  const Cut stored("stored", {3});
  const Cut own("own", {});
  Octets joined;
  ASSERT_TRUE(
      JoinOctets(stored.octets(Origin::kStored), stored.octets(Origin::kStored), &arena, &joined));
  EXPECT_EQ(joined.origin, Origin::kStored);
  EXPECT_EQ(joined.count, 4u);
  EXPECT_EQ(joined.pieces[0].data(), stored.octets().pieces[0].data());
  ASSERT_TRUE(JoinOctets(own.octets(), stored.octets(Origin::kStored), &arena, &joined));
  EXPECT_EQ(joined.origin, Origin::kMixed);
  EXPECT_EQ(joined.count, 3u);
  EXPECT_EQ(joined.pieces[2].data(), stored.octets().pieces[1].data());
  const Octets mixed = joined;
  ASSERT_TRUE(JoinOctets(mixed, own.octets(), &arena, &joined));
  EXPECT_EQ(joined.origin, Origin::kMixed);
  EXPECT_EQ(joined.count, 4u);
}

TEST(OctetsTest, ASliceIsThoseOctetsHoweverTheValueIsCut) {
  Arena arena(1 << 20);
  const std::string text = "abcdefgh";
  for (const std::vector<size_t>& sizes :
       {std::vector<size_t>{}, {3, 2}, {0, 1, 0, 6}, {1, 1, 1, 1, 1, 1, 1}}) {
    const Cut value(text, sizes);
    for (size_t from = 0; from <= text.size(); ++from) {
      EXPECT_TRUE(from == text.size() || OctetAt(value.octets(), from) == text[from]);
      for (size_t size = 0; from + size <= text.size(); ++size) {
        Octets slice;
        ASSERT_TRUE(SliceOctets(value.octets(Origin::kStored), from, size, &arena, &slice));
        EXPECT_EQ(slice.size_bytes, size);
        EXPECT_EQ(TextOf(slice), text.substr(from, size));
        EXPECT_EQ(slice.origin, size == 0 ? Origin::kOwn : Origin::kStored);
      }
    }
  }
}

TEST(OctetsTest, ASliceOfWholePiecesNeedsNoMemory) {
  Arena arena(0);
  const Cut value("abcdefgh", {3, 2});
  Octets slice;
  ASSERT_TRUE(SliceOctets(value.octets(), 3, 5, &arena, &slice));
  EXPECT_EQ(TextOf(slice), "defgh");
  EXPECT_FALSE(SliceOctets(value.octets(), 3, 4, &arena, &slice));
}

TEST(OctetsTest, AFullArenaIsSaid) {
  Arena arena(100);
  const Cut text(std::string(60, 'a'), {});
  Octets joined;
  EXPECT_FALSE(JoinOctets(text.octets(), text.octets(), &arena, &joined));
  Bytes flat;
  EXPECT_FALSE(FlattenOctets(Cut(std::string(200, 'a'), {100}).octets(), &arena, &flat));
}

TEST(OctetsTest, FlatteningCopiesOnlyWhatIsCut) {
  Arena arena(1 << 20);
  const Cut whole("abc", {});
  Bytes flat;
  ASSERT_TRUE(FlattenOctets(whole.octets(), &arena, &flat));
  EXPECT_EQ(flat.data(), whole.octets().pieces[0].data());
  ASSERT_TRUE(FlattenOctets(Cut("abcdef", {1, 2}).octets(), &arena, &flat));
  EXPECT_EQ(flat, "abcdef");
}

}  // namespace
}  // namespace pure::modules
