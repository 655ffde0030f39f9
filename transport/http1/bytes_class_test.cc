#include "transport/http1/bytes_class.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "runtime/bytes.h"

namespace pure::http1 {
namespace {

// What FindControl says, octet by octet.
size_t FindControlSlowly(Bytes octets, size_t begin) {
  for (size_t i = begin; i < octets.size(); ++i) {
    const auto octet = static_cast<uint8_t>(octets[i]);
    if (octet != '\t' && (octet < 0x20 || octet == 0x7F)) return i;
  }
  return octets.size();
}

// Each octet at each place of runs that end before, at and behind a word of eight.
TEST(BytesClassTest, AControlCharacterIsFoundWhereverItStands) {
  for (size_t size = 1; size <= 25; ++size) {
    for (size_t place = 0; place < size; ++place) {
      for (int octet = 0; octet < 256; ++octet) {
        std::string text(size, 'a');
        text[place] = static_cast<char>(octet);
        for (const size_t begin : {size_t{0}, place, place + 1}) {
          ASSERT_EQ(FindControl(text, begin), FindControlSlowly(text, begin))
              << "octet " << octet << " at " << place << " of " << size << " from " << begin;
        }
      }
    }
  }
}

// Subtracting from a whole word borrows from the next octet: each pair of neighbours has to be told
// apart.
TEST(BytesClassTest, NeighboursDoNotHideOrMakeAControlCharacter) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      for (const size_t place : {size_t{0}, size_t{3}, size_t{6}, size_t{7}}) {
        std::string text(16, '\xff');
        text[place] = static_cast<char>(first);
        text[place + 1] = static_cast<char>(second);
        ASSERT_EQ(FindControl(text, 0), FindControlSlowly(text, 0))
            << first << " then " << second << " at " << place;
      }
    }
  }
}

TEST(BytesClassTest, ATabIsLegalAndDoesNotHideWhatFollows) {
  EXPECT_EQ(FindControl(std::string(64, '\t'), 0), 64u);
  EXPECT_EQ(FindControl(std::string(64, '\t') + "\n", 0), 64u);
  EXPECT_EQ(FindControl(std::string(64, '\t') + "\n", 9), 64u);
  EXPECT_EQ(FindControl("", 0), 0u);
}

TEST(BytesClassTest, TokensHaveTheCharactersOfRfc9110) {
  constexpr Bytes kMarks = "!#$%&'*+-.^_`|~";
  for (int octet = 0; octet < 256; ++octet) {
    const char c = static_cast<char>(octet);
    const bool expected = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
                          (c >= 'a' && c <= 'z') || kMarks.find(c) != Bytes::npos;
    EXPECT_EQ(IsToken(Bytes(&c, 1)), expected) << octet;
  }
  EXPECT_FALSE(IsToken(""));
  EXPECT_FALSE(IsToken("a b"));
}

TEST(BytesClassTest, TargetsHaveTheCharactersOfRfc3986) {
  constexpr Bytes kMarks = "-._~!$&'()*+,;=:@/?";
  for (int octet = 0; octet < 256; ++octet) {
    const char c = static_cast<char>(octet);
    const bool expected = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
                          (c >= 'a' && c <= 'z') || kMarks.find(c) != Bytes::npos;
    EXPECT_EQ(Is(c, kTargetClass), expected) << octet;
  }
}

TEST(BytesClassTest, AnEscapeIsAPercentAndTwoHexadecimalDigits) {
  for (const Bytes right : {"%00", "%aF", "%9f"}) EXPECT_TRUE(IsEscape(right, 0)) << right;
  for (const Bytes wrong : {"", "%", "%4", "%g0", "%0g", "a00", "%%0"}) {
    EXPECT_FALSE(IsEscape(wrong, 0)) << wrong;
  }
  EXPECT_TRUE(IsEscape("ab%20", 2));
  EXPECT_FALSE(IsEscape("ab%2", 2));
}

TEST(BytesClassTest, TrimTakesBlanksFromBothEndsOnly) {
  EXPECT_EQ(Trim(" \ta b\t "), "a b");
  EXPECT_EQ(Trim("a"), "a");
  EXPECT_EQ(Trim(" \t "), "");
  EXPECT_EQ(Trim(""), "");
}

}  // namespace
}  // namespace pure::http1
