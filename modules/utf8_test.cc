#include "modules/utf8.h"

#include <string>

#include "gtest/gtest.h"

namespace pure::modules {
namespace {

TEST(Utf8Test, EveryCodePointIsValidAsItIsEncoded) {
  for (uint32_t code_point = 0; code_point <= 0x10FFFF; ++code_point) {
    if (code_point >= 0xD800 && code_point <= 0xDFFF) continue;
    char octets[4];
    const Bytes text(octets, EncodeUtf8(code_point, octets));
    ASSERT_EQ(Utf8CharacterSize(text), text.size()) << code_point;
    ASSERT_EQ(Utf8CharacterSize(std::string(text) + "a"), text.size()) << code_point;
  }
}

TEST(Utf8Test, OverlongSurrogateTooLargeAndCutCharactersAreMalformed) {
  for (const Bytes text :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC2", "\xC2\x41", "\xE0\x9F\xBF", "\xE1\x80",
        "\xED\xA0\x80", "\xED\xBF\xBF", "\xF0\x8F\xBF\xBF", "\xF0\x90\x80", "\xF4\x90\x80\x80",
        "\xF5\x80\x80\x80", "\xFE", "\xFF"}) {
    EXPECT_EQ(Utf8CharacterSize(text), 0u) << text;
  }
}

TEST(Utf8Test, TheValidPrefixEndsAtTheFirstMalformedOctetAtAnyPlace) {
  for (size_t length = 0; length < 40; ++length) {
    for (size_t bad = 0; bad < length; ++bad) {
      std::string text(length, 'a');
      EXPECT_EQ(Utf8ValidPrefix(text), length);
      text[bad] = '\xFF';
      EXPECT_EQ(Utf8ValidPrefix(text), bad) << length;
      EXPECT_FALSE(IsUtf8(text));
    }
  }
}

}  // namespace
}  // namespace pure::modules
