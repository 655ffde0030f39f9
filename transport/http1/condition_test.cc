#include "runtime/condition.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "runtime/bytes.h"
#include "transport/http1/head.h"

namespace pure::http1 {
namespace {

// The head of a request with these lines. The spans live on `text`.
class Request {
 public:
  explicit Request(Bytes lines)
      : text_(absl::StrCat("PUT / HTTP/1.1\r\nHost: a\r\n", lines, "\r\n")) {
    HeadParser parser(4096);
    EXPECT_EQ(parser.Parse(text_, &head_), ParseResult::kComplete) << lines;
  }
  const Head& head() const { return head_; }

 private:
  const std::string text_;
  Head head_;
};

// The condition's kind and revision in words, or "refused".
std::string ConditionOf(Bytes lines) {
  const Request request(lines);
  Condition condition;
  if (!WriteCondition(request.head(), &condition)) return "refused";
  switch (condition.kind) {
    case Condition::Kind::kNone:
      return "none";
    case Condition::Kind::kAbsent:
      return "absent";
    case Condition::Kind::kRevision:
      return absl::StrCat("revision ", condition.revision);
    case Condition::Kind::kNever:
      return "never";
  }
  return "?";
}

TEST(ConditionTest, AWriteSaysWhatItReplaces) {
  EXPECT_EQ(ConditionOf("If-Match: \"7\"\r\n"), "revision 7");
  EXPECT_EQ(ConditionOf("If-Match: \"18446744073709551615\"\r\n"), "revision 18446744073709551615");
  EXPECT_EQ(ConditionOf("If-None-Match: *\r\n"), "absent");
}

TEST(ConditionTest, ATagThatNoRevisionPrintsNeverMatches) {
  for (const Bytes tag : {"\"\"", "\"0\"", "\"01\"", "W/\"7\"", "\"x\"", "\"7x\"", "\"-7\"",
                          "\"18446744073709551616\"", "\"18446744073709551617\""}) {
    EXPECT_EQ(ConditionOf(absl::StrCat("If-Match: ", tag, "\r\n")), "never") << tag;
  }
}

TEST(ConditionTest, AnythingElseIsRefused) {
  for (const Bytes lines :
       {"", "If-Match: *\r\n", "If-Match: \"1\", \"2\"\r\n", "If-Match: 7\r\n", "If-Match: \"7\r\n",
        "If-Match: \"\r\n", "If-Match: W/\r\n", "If-Match:\r\n", "If-Match: w/\"7\"\r\n",
        "If-Match: \"7 \"\r\n", "If-None-Match: \"7\"\r\n",
        "If-Match: \"7\"\r\nIf-Match: \"7\"\r\n", "If-None-Match: *\r\nIf-None-Match: *\r\n",
        "If-Match: \"7\"\r\nIf-None-Match: *\r\n"}) {
    EXPECT_EQ(ConditionOf(lines), "refused") << lines;
  }
}

TEST(ConditionTest, AReadIsUnmodifiedWhenItsTagIsThePrintedRevision) {
  EXPECT_TRUE(NotModified(Request("If-None-Match: \"7\"\r\n").head(), 7));
  EXPECT_TRUE(NotModified(Request("If-None-Match: W/\"7\"\r\n").head(), 7));
  EXPECT_TRUE(NotModified(Request("If-None-Match: *\r\n").head(), 7));
  EXPECT_FALSE(NotModified(Request("If-None-Match: \"7\"\r\n").head(), 8));
  EXPECT_FALSE(NotModified(Request("If-None-Match: \"07\"\r\n").head(), 7));
  EXPECT_FALSE(NotModified(Request("If-None-Match: 7\r\n").head(), 7));
  EXPECT_FALSE(NotModified(Request("If-None-Match: \"0\"\r\n").head(), 0));
  EXPECT_FALSE(NotModified(Request("If-Match: \"7\"\r\n").head(), 7));
  EXPECT_FALSE(NotModified(Request("").head(), 7));
}

}  // namespace
}  // namespace pure::http1
