#include "modules/json.h"

#include <string>

#include "gtest/gtest.h"

namespace pure::modules {
namespace {

TEST(JsonTest, QuotesBackslashesAndControlsAreEscaped) {
  EXPECT_EQ(JsonString("a\"b\\c\n\r\t"), "\"a\\\"b\\\\c\\n\\r\\t\"");
  EXPECT_EQ(JsonString(Bytes("\0\x1F\x7F", 3)), "\"\\u0000\\u001f\x7F\"");
}

TEST(JsonTest, CharactersStandForThemselvesAndMalformedOctetsAreReplaced) {
  EXPECT_EQ(JsonString("z\xC3\xBC \xF0\x9F\x98\x80"), "\"z\xC3\xBC \xF0\x9F\x98\x80\"");
  EXPECT_EQ(JsonString("a\xFF\xC3"), "\"a\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

TEST(JsonTest, TheSizeIsWhatIsWrittenAndAtMostSixForEachOctet) {
  for (int octet = 0; octet < 256; ++octet) {
    const std::string text(3, static_cast<char>(octet));
    std::string room(64, '#');
    char* const end = WriteJsonString(text, room.data());
    EXPECT_EQ(static_cast<size_t>(end - room.data()), JsonStringSize(text)) << octet;
    EXPECT_LE(JsonStringSize(text), 6 * text.size() + 2) << octet;
  }
}

}  // namespace
}  // namespace pure::modules
