#include "platforms/server/tokens.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "tests/testing/allocation_counter.h"

namespace pure::server {
namespace {

// FIPS 180-2, appendix B: the sums of "abc" and of a text of two blocks; and that of the empty
// text.
constexpr char kAbcSum[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr char kLongToken[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
constexpr char kLongSum[] = "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1";
constexpr char kEmptySum[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

std::shared_ptr<const Tokens> Parsed(const std::string& text) {
  absl::StatusOr<std::shared_ptr<const Tokens>> tokens = Tokens::Parse(text, "tokens");
  EXPECT_TRUE(tokens.ok()) << tokens.status();
  return tokens.ok() ? *std::move(tokens) : nullptr;
}

std::string Refusal(const std::string& text) {
  const auto tokens = Tokens::Parse(text, "tokens");
  return tokens.ok() ? "" : std::string(tokens.status().message());
}

std::string Line(const std::string& name, const std::string& role, const std::string& sum) {
  return name + " " + role + " " + sum + "\n";
}

TEST(TokensTest, ATokenIsFoundByItsSumWithNameAndRole) {
  const auto tokens = Parsed(Line("ann", "moderator", kAbcSum) + Line("bob", "-", kLongSum));
  ASSERT_NE(tokens, nullptr);
  EXPECT_EQ(tokens->size(), 2u);
  const TokenOwner* const ann = tokens->Find("abc");
  ASSERT_NE(ann, nullptr);
  EXPECT_EQ(ann->name, "ann");
  EXPECT_EQ(ann->role, "moderator");
  const TokenOwner* const bob = tokens->Find(kLongToken);
  ASSERT_NE(bob, nullptr);
  EXPECT_EQ(bob->name, "bob");
  EXPECT_EQ(bob->role, "") << "- is no role";
}

TEST(TokensTest, WhateverIsNotListedIsNotFound) {
  const auto tokens = Parsed(Line("ann", "reader", kAbcSum));
  ASSERT_NE(tokens, nullptr);
  for (const char* token : {"", "ab", "abcd", "ABC", " abc", "abc ", kAbcSum, "ann", kLongToken}) {
    EXPECT_EQ(tokens->Find(token), nullptr) << token;
  }
  EXPECT_EQ(tokens->Find(std::string("abc\0", 4)), nullptr);
}

TEST(TokensTest, EverySingleBitOfTheSumCounts) {
  for (int bit = 0; bit < 256; ++bit) {
    std::string sum = kAbcSum;
    const int digit = sum[bit / 4] <= '9' ? sum[bit / 4] - '0' : sum[bit / 4] - 'a' + 10;
    sum[bit / 4] = "0123456789abcdef"[digit ^ (1 << bit % 4)];
    EXPECT_EQ(Parsed(Line("ann", "-", sum))->Find("abc"), nullptr) << "bit " << bit;
  }
}

TEST(TokensTest, EachOfManyIsFoundWhereverItStands) {
  std::string others;
  for (size_t i = 1; i < Tokens::kEntriesMax; ++i) {
    char sum[65];
    std::snprintf(sum, sizeof(sum), "%064zx", i);
    others += Line("other", "-", sum);
  }
  for (const std::string& text :
       {Line("ann", "-", kAbcSum) + others, others + Line("ann", "-", kAbcSum)}) {
    const auto tokens = Parsed(text);
    ASSERT_NE(tokens, nullptr);
    ASSERT_NE(tokens->Find("abc"), nullptr);
    EXPECT_EQ(tokens->Find("abc")->name, "ann");
    EXPECT_EQ(tokens->Find("abd"), nullptr);
  }
  EXPECT_EQ(Refusal(others + Line("ann", "-", kAbcSum) + Line("bob", "-", kLongSum)),
            "tokens:1025: more than 1024 tokens are not taken");
}

TEST(TokensTest, ANameMayHoldTwoTokensForRotation) {
  const auto tokens = Parsed(Line("ann", "writer", kAbcSum) + Line("ann", "writer", kLongSum));
  ASSERT_NE(tokens, nullptr);
  EXPECT_EQ(tokens->Find("abc")->name, "ann");
  EXPECT_EQ(tokens->Find(kLongToken)->name, "ann");
}

TEST(TokensTest, CommentsBlanksAndEitherCaseOfDigitsAreFine) {
  const auto tokens = Parsed(
      "# who may\r\n"
      "\n"
      "\t ann \t writer   BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD \r\n"
      "   # the end");
  ASSERT_NE(tokens, nullptr);
  EXPECT_EQ(tokens->size(), 1u);
  EXPECT_NE(tokens->Find("abc"), nullptr);
}

TEST(TokensTest, ErrorsNameFileAndLineAndGiveNoFieldAway) {
  const std::string sum = kAbcSum;
  EXPECT_EQ(Refusal("# x\n\nann writer\n"),
            "tokens:3: a line is NAME ROLE SHA256, three fields, not 2");
  EXPECT_EQ(Refusal("ann writer " + sum + " # mine"),
            "tokens:1: a line is NAME ROLE SHA256, three fields, not 5");
  EXPECT_EQ(Refusal(Line("a.b", "writer", sum)),
            "tokens:1: the name is not 1 to 64 of A-Za-z0-9-_");
  EXPECT_EQ(Refusal(Line("ann", "a,b", sum)),
            "tokens:1: the role is not 1 to 64 of A-Za-z0-9-_ (\"-\" for none)");
  const std::string bad = "tokens:1: the token's SHA-256 is not 64 hexadecimal digits";
  EXPECT_EQ(Refusal(Line("ann", "writer", "secret")), bad);
  EXPECT_EQ(Refusal(Line("ann", "writer", sum.substr(1))), bad);
  EXPECT_EQ(Refusal(Line("ann", "writer", sum + "0")), bad);
  EXPECT_EQ(Refusal(Line("ann", "writer", "g" + sum.substr(1))), bad);
  EXPECT_EQ(Refusal(Line("ann", "-", sum) + Line("bob", "-", sum)),
            "tokens:2: this token's sum stands in an earlier line already");
}

TEST(TokensTest, AFileWithoutTokensIsRefused) {
  EXPECT_EQ(Refusal(""), "tokens: holds no token, so nobody may");
  EXPECT_EQ(Refusal("# nobody yet\n"), "tokens: holds no token, so nobody may");
}

TEST(TokensTest, TheEmptyTokenIsATokenLikeAnyOther) {
  EXPECT_EQ(Parsed(Line("ann", "-", kAbcSum))->Find(""), nullptr);
  EXPECT_NE(Parsed(Line("ann", "-", kEmptySum))->Find(""), nullptr);
}

TEST(TokensTest, LookingOneUpAllocatesNothing) {
  const auto tokens = Parsed(Line("ann", "-", kAbcSum) + Line("bob", "-", kLongSum));
  ASSERT_NE(tokens, nullptr);
  const testing::AllocationCounter counter;
  const bool found = tokens->Find("abc") != nullptr;
  const bool other = tokens->Find("other") != nullptr;
  EXPECT_EQ(counter.allocations(), 0u);
  EXPECT_TRUE(found);
  EXPECT_FALSE(other);
}

class TokenFileTest : public ::testing::Test {
 protected:
  TokenFileTest() : path_(::testing::TempDir() + "/tokens_test.tokens") {
    unlink(path_.c_str());
    std::ofstream(path_) << Line("ann", "writer", kAbcSum);
    chmod(path_.c_str(), 0600);
  }
  std::string LoadRefusal() {
    const auto tokens = Tokens::Load(path_);
    return tokens.ok() ? "" : std::string(tokens.status().message());
  }
  const std::string path_;
};

TEST_F(TokenFileTest, APrivateFileIsRead) {
  const auto tokens = Tokens::Load(path_);
  ASSERT_TRUE(tokens.ok()) << tokens.status();
  EXPECT_EQ((*tokens)->Find("abc")->name, "ann");
  chmod(path_.c_str(), 0400);
  EXPECT_EQ(LoadRefusal(), "");
}

TEST_F(TokenFileTest, AFileThatOthersReachIsRefused) {
  for (const auto& [mode, text] : {std::pair(0644, "0644"), std::pair(0640, "0640"),
                                   std::pair(0602, "0602"), std::pair(0610, "0610")}) {
    chmod(path_.c_str(), mode);
    EXPECT_EQ(LoadRefusal(),
              path_ + ": has mode " + text + "; others must not reach it: chmod 600 " + path_);
  }
}

TEST_F(TokenFileTest, AnotherUsersFileIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  if (chown(path_.c_str(), 12345, 12345) != 0) GTEST_SKIP() << "root may not chown here";
  EXPECT_EQ(LoadRefusal(), path_ + ": belongs to user 12345, not to user 0 who runs this");
}

TEST_F(TokenFileTest, WhatIsNoReadableFileIsRefused) {
  unlink(path_.c_str());
  EXPECT_EQ(LoadRefusal().rfind(path_ + ": can not be opened", 0), 0u);
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(LoadRefusal(), path_ + ": is no regular file");
  unlink(path_.c_str());
  std::ofstream(path_) << std::string((1u << 20) + 1, '#');
  chmod(path_.c_str(), 0600);
  EXPECT_EQ(LoadRefusal(), path_ + ": is larger than 1048576 bytes");
}

TEST_F(TokenFileTest, AChangedFileBecomesANewObjectAndTheOldOneStays) {
  const auto before = Tokens::Load(path_);
  std::ofstream(path_) << Line("bob", "writer", kLongSum);
  const auto after = Tokens::Load(path_);
  ASSERT_TRUE(before.ok() && after.ok());
  EXPECT_NE((*before)->Find("abc"), nullptr);
  EXPECT_EQ((*after)->Find("abc"), nullptr);
  EXPECT_NE((*after)->Find(kLongToken), nullptr);
}

}  // namespace
}  // namespace pure::server
