#include "runtime/key.h"

#include <string>

#include "gtest/gtest.h"

namespace pure {
namespace {

TEST(KeyTest, AKeyIsOneTo64BytesOfItsAlphabet) {
  EXPECT_TRUE(IsKey("a"));
  EXPECT_TRUE(IsKey("Az09-_"));
  EXPECT_TRUE(IsKey(std::string(64, 'k')));
  EXPECT_FALSE(IsKey(""));
  EXPECT_FALSE(IsKey(std::string(65, 'k')));
}

TEST(KeyTest, ExactlyTheAlphabetIsAllowedOfAllBytes) {
  const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  for (int byte = 0; byte < 256; ++byte) {
    const char text = static_cast<char>(byte);
    const bool expected = alphabet.find(text) != std::string::npos;
    EXPECT_EQ(IsKey(Bytes(&text, 1)), expected) << "byte " << byte;
    const std::string amid = std::string("a") + text + "b";
    EXPECT_EQ(IsKey(amid), expected) << "byte " << byte << " in the middle";
  }
}

TEST(KeyTest, AKeyHoldsItsBytesByValue) {
  std::string text = "guest-7";
  const Key key(text);
  text = "another";
  const Key copy = key;
  EXPECT_EQ(copy.bytes(), "guest-7");
  EXPECT_EQ(Key(std::string(64, 'z')).bytes(), std::string(64, 'z'));
}

TEST(KeyTest, KeysAreEqualWhenTheirBytesAre) {
  EXPECT_EQ(Key("a"), Key("a"));
  EXPECT_FALSE(Key("a") == Key("b"));
  EXPECT_FALSE(Key("a") == Key("aa"));
  EXPECT_EQ(Key(), Key(""));
}

TEST(KeyDeathTest, MoreThan64BytesAreAMistakeOfTheCaller) {
  const std::string text(65, 'k');
  EXPECT_DEATH(Key{text}, "longer than 64 bytes");
}

}  // namespace
}  // namespace pure
