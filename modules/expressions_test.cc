// What expressions and statements give when they run.

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "modules/testing/app_fixture.h"

namespace pure::modules {
namespace {

using pure::testing::AppFixture;
using pure::testing::BodyOf;
using pure::testing::DocumentModule;

// The answer of a message with this body and these parameters to a form, or the name of its fault.
std::string Outcome(Bytes body, Bytes parameters = "", Bytes form = "") {
  AppFixture app(DocumentModule(
      absl::StrCat("message x", parameters, " fault own 409 \"Own.\" {\n", body, "\n}")));
  const Reply reply = app.Post("x", "the-key", form);
  if (reply.result == Result::kFault) return app.FaultOf(reply);
  if (reply.result != Result::kOk) return std::string(ResultName(reply.result));
  return BodyOf(reply);
}

std::string Value(Bytes expr, Bytes parameters = "", Bytes form = "") {
  return Outcome(absl::StrCat("reply ", expr), parameters, form);
}

TEST(ExpressionsTest, OperatorsBindAsTheyAreRead) {
  EXPECT_EQ(Value("1 + 2 * 3 - 4"), "3");
  EXPECT_EQ(Value("(1 + 2) * 3"), "9");
  EXPECT_EQ(Value("10 - 3 - 2"), "5");
  EXPECT_EQ(Value("-2 * -3"), "6");
  EXPECT_EQ(Value("7 / 2 * 2 + 7 % 2"), "7");
  EXPECT_EQ(Value("1 + 1 == 2 and not 1 > 2 or false"), "true");
  EXPECT_EQ(Value("true or true and false"), "true");
  EXPECT_EQ(Value("(true or true) and false"), "false");
  EXPECT_EQ(Value("not true == false"), "true");
  EXPECT_EQ(Value("1_000 + 1KiB"), "2024");
  EXPECT_EQ(Value("if 1 < 2 then 3 else 4"), "3");
  EXPECT_EQ(Value("if 1 > 2 then 3 else if 2 > 3 then 4 else 5"), "5");
}

TEST(ExpressionsTest, DivisionRoundsTowardZeroAndTheRestHasTheDividendsSign) {
  const auto divide = [](Bytes a, Bytes b) {
    const std::string form = absl::StrCat("a=", a, "&b=", b);
    return absl::StrCat(Value("a / b", "(a: int, b: int)", form), " ",
                        Value("a % b", "(a: int, b: int)", form));
  };
  EXPECT_EQ(divide("7", "2"), "3 1");
  EXPECT_EQ(divide("-7", "2"), "-3 -1");
  EXPECT_EQ(divide("7", "-2"), "-3 1");
  EXPECT_EQ(divide("-7", "-2"), "3 -1");
  EXPECT_EQ(divide("7", "0"), "divide divide");
  EXPECT_EQ(divide("-9223372036854775808", "-1"), "overflow 0");
}

TEST(ExpressionsTest, LeavingTheSixtyFourBitsIsAFault) {
  const auto run = [](Bytes expr, Bytes a, Bytes b) {
    return Value(expr, "(a: int, b: int)", absl::StrCat("a=", a, "&b=", b));
  };
  const Bytes max = "9223372036854775807";
  const Bytes min = "-9223372036854775808";
  EXPECT_EQ(run("a + b", max, "0"), max);
  EXPECT_EQ(run("a + b", max, "1"), "overflow");
  EXPECT_EQ(run("a - b", min, "1"), "overflow");
  EXPECT_EQ(run("a - b", min, "0"), min);
  EXPECT_EQ(run("a * b", "4294967296", "2147483648"), "overflow");
  EXPECT_EQ(run("a * b", "4294967296", "-2147483648"), min);
  EXPECT_EQ(run("-a + b", min, "0"), "overflow");
  EXPECT_EQ(run("-a + b", max, "-1"), min);
}

TEST(ExpressionsTest, TextsAreJoinedMeasuredAndCompared) {
  EXPECT_EQ(Value("\"a\" + \"b\\n\" + key"), "\"ab\\nthe-key\"");
  EXPECT_EQ(Value("size(\"z\\u{FC}\")"), "3");
  EXPECT_EQ(Value("\"a\" < \"b\" and \"a\" <= \"a\" and \"b\" > \"aa\" and \"b\" >= \"b\""),
            "true");
  EXPECT_EQ(Value("\"a\" == \"a\" and \"a\" != \"b\""), "true");
  EXPECT_EQ(Value("key == \"the-key\""), "true");
  EXPECT_EQ(Value("t + t + t == u", "(t: text(..300), u: text(..900))",
                  absl::StrCat("t=", std::string(200, 'x'), "&u=", std::string(600, 'x'))),
            "true");
}

TEST(ExpressionsTest, ARangeIsCountedInBytesAndEndsBeforeItsEnd) {
  EXPECT_EQ(Value("\"abcdef\"[1..3]"), "\"bc\"");
  EXPECT_EQ(Value("\"abcdef\"[..2]"), "\"ab\"");
  EXPECT_EQ(Value("\"abcdef\"[4..]"), "\"ef\"");
  EXPECT_EQ(Value("\"abcdef\"[..]"), "\"abcdef\"");
  EXPECT_EQ(Value("\"abcdef\"[6..]"), "\"\"");
  EXPECT_EQ(Value("\"abcdef\"[1..5][1..][..2]"), "\"cd\"");
  EXPECT_EQ(Value("(key + \".\")[size(key) - 3..size(key) + 1]"), "\"key.\"");
  EXPECT_EQ(Value("size(key[..1] + key[2..])"), "6");
  EXPECT_EQ(Value("if \"abc\"[..1] == \"a\" then 1 else 2"), "1");
}

TEST(ExpressionsTest, ARangeThatIsNotInsideItsValueIsAFault) {
  const auto slice = [](Bytes start, Bytes end) {
    return Value("t[start..end]", "(t: bytes(..9), start: int, end: int)",
                 absl::StrCat("t=abc&start=", start, "&end=", end));
  };
  EXPECT_EQ(slice("0", "3"), "abc");
  EXPECT_EQ(slice("3", "3"), "");
  EXPECT_EQ(slice("0", "4"), "range");
  EXPECT_EQ(slice("4", "4"), "range");
  EXPECT_EQ(slice("2", "1"), "range");
  EXPECT_EQ(slice("-1", "2"), "range");
  EXPECT_EQ(slice("1", "-1"), "range");
  EXPECT_EQ(slice("-9223372036854775808", "9223372036854775807"), "range");
  EXPECT_EQ(Value("t[n..]", "(t: bytes(..9), n: int)", "t=abc&n=4"), "range");
  EXPECT_EQ(Value("t[..n]", "(t: bytes(..9), n: int)", "t=abc&n=4"), "range");
}

TEST(ExpressionsTest, ARangeOfATextCutsNoCharacter) {
  const auto slice = [](Bytes start, Bytes end) {
    return Value("t[start..end]", "(t: text(..9), start: int, end: int)",
                 absl::StrCat("t=z%C3%BC%E2%82%AC&start=", start, "&end=", end));
  };
  EXPECT_EQ(slice("0", "3"), "\"z\xC3\xBC\"");
  EXPECT_EQ(slice("1", "6"), "\"\xC3\xBC\xE2\x82\xAC\"");
  EXPECT_EQ(slice("0", "2"), "range");
  EXPECT_EQ(slice("2", "3"), "range");
  EXPECT_EQ(slice("4", "6"), "range");
  EXPECT_EQ(slice("0", "5"), "range");
  EXPECT_EQ(slice("3", "6"), "\"\xE2\x82\xAC\"");
  EXPECT_EQ(Value("b[1..2]", "(b: bytes(..9))", "b=%C3%BC"), "\xBC") << "bytes are cut anywhere";
}

TEST(ExpressionsTest, ARangeOfWhatIsAbsentIsAbsent) {
  EXPECT_EQ(Outcome("reply t[1..] else own", "(t: text(..9)?)", ""), "own");
  EXPECT_EQ(Outcome("reply t[1..] else own", "(t: text(..9)?)", "t=abc"), "\"bc\"");
  EXPECT_EQ(Outcome("reply t[..5] else own", "(t: text(..9)?)", "t=abc"), "range");
}

TEST(ExpressionsTest, ARangeMayBeAssignedToWhatItIsOf) {
  EXPECT_EQ(Outcome("let s = \"abcdef\"\ns = s[1..]\ns = s[..2] + s[3..]\nreply s"), "\"bcef\"");
}

TEST(ExpressionsTest, TheSecondSideOfAndAndOrRunsOnlyWhenItDecides) {
  EXPECT_EQ(Value("a != 0 and 10 / a > 1", "(a: int)", "a=0"), "false");
  EXPECT_EQ(Value("a == 0 or 10 / a > 1", "(a: int)", "a=0"), "true");
  EXPECT_EQ(Value("10 / a > 1 and a != 0", "(a: int)", "a=0"), "divide");
  EXPECT_EQ(Value("if a == 0 then 0 else 10 / a", "(a: int)", "a=0"), "0");
}

TEST(ExpressionsTest, LocalsAreCopiesThatMayBeAssigned) {
  EXPECT_EQ(Outcome("let a = 1\nlet b = a\na = a + 5\na += 2\na -= 1\nreply a * 10 + b"), "71");
  EXPECT_EQ(Outcome("let a = 2\na = if a == 2 then a * 3 else a\nreply a"), "6");
  EXPECT_EQ(Outcome("let a = true\na = a and a == true\nreply a"), "true");
  EXPECT_EQ(Outcome("let s = \"a\"\ns += \"b\"\ns = s + s\nreply s"), "\"abab\"");
}

TEST(ExpressionsTest, BranchesJoin) {
  const Bytes body =
      "let s = \"\"\n"
      "if n > 10 { s = \"large\" } else if n > 5 { s = \"middle\"; reply \"early \" + s } else s = "
      "\"small\"\n"
      "reply s";
  EXPECT_EQ(Outcome(body, "(n: int)", "n=11"), "\"large\"");
  EXPECT_EQ(Outcome(body, "(n: int)", "n=6"), "\"early middle\"");
  EXPECT_EQ(Outcome(body, "(n: int)", "n=1"), "\"small\"");
}

TEST(ExpressionsTest, RequireAndElseFault) {
  EXPECT_EQ(Outcome("require n > 1 else own\nreply n", "(n: int)", "n=2"), "2");
  EXPECT_EQ(Outcome("require n > 1 else own\nreply n", "(n: int)", "n=1"), "own");
  EXPECT_EQ(Outcome("require n > 1 else not_found\nreply n", "(n: int)", "n=1"), "not_found");
  EXPECT_EQ(Outcome("let m = n else own\nreply m", "(n: int?)", ""), "own");
  EXPECT_EQ(Outcome("let m = n else 7\nreply m", "(n: int?)", ""), "7");
  EXPECT_EQ(Outcome("let m = n else 7\nreply m", "(n: int?)", "n=8"), "8");
  EXPECT_EQ(Outcome("reply n else own", "(n: int?)", ""), "own");
  EXPECT_EQ(Outcome("reply n else 5", "(n: int?)", ""), "5");
  EXPECT_EQ(Outcome("require n == none else own\nreply none", "(n: int?)", ""), "");
  EXPECT_EQ(Outcome("require n != none else type\nreply none", "(n: int?)", ""), "type");
}

TEST(ExpressionsTest, CasesAreUnderstoodByWhatTheyMeet) {
  EXPECT_EQ(Value("m", "(m: one of sad happy)", "m=happy"), "\"happy\"");
  EXPECT_EQ(Value("m == happy", "(m: one of sad happy)", "m=happy"), "true");
  EXPECT_EQ(Value("sad == m", "(m: one of sad happy)", "m=happy"), "false");
  EXPECT_EQ(Outcome("let a = m else sad\nreply a", "(m: one of sad happy?)", ""), "\"sad\"");
  EXPECT_EQ(Outcome("let a = m\na = sad\nreply if a == sad then 1 else 2", "(m: one of sad happy)",
                    "m=happy"),
            "1");
}

TEST(ExpressionsTest, AMessageWithoutReplyAnswersNothing) { EXPECT_EQ(Outcome("let a = 1"), ""); }

}  // namespace
}  // namespace pure::modules
