// What is known of ranges when a module is loaded: errors, bounds and faults.

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "modules/module.h"
#include "modules/testing/app_fixture.h"

namespace pure::modules {
namespace {

using pure::testing::DocumentModule;
using pure::testing::ErrorsOf;

std::string Message(Bytes statement, Bytes parameters) {
  return DocumentModule(absl::StrCat("message x", parameters, " {\n", statement, "\n}"));
}

// "COLUMN: what" of the only error of a message with this statement, and " | help"; or "".
std::string Error(Bytes statement, Bytes parameters = "") {
  std::vector<modules::Error> errors;
  if (Module::Load(Message(statement, parameters), &errors) != nullptr) return "";
  if (errors.size() != 1 || errors[0].line != 4) return ErrorsOf(Message(statement, parameters));
  return absl::StrCat(errors[0].column, ": ", errors[0].what, errors[0].help.empty() ? "" : " | ",
                      errors[0].help);
}

// What `pure check` says of the message with this statement.
std::string Described(Bytes statement, Bytes parameters) {
  std::vector<modules::Error> errors;
  const auto module = Module::Load(Message(statement, parameters), &errors);
  return module != nullptr ? module->Describe(0, 0) : "(errors)";
}

bool MayFault(Bytes statement, Bytes parameters) {
  return absl::StrContains(Described(statement, parameters), "\"range\"");
}

TEST(SliceErrorsTest, WhatIsNoRange) {
  EXPECT_EQ(Error("reply key[1]"),
            "10: this has no elements by index: it is a slug | a range of bytes is [start..end]");
  EXPECT_EQ(Error("reply key[1..2"), "m.pure:5:1: expected `]`, but here is `}`\n}\n^\n");
  EXPECT_EQ(Error("reply key[..2..3]"), "14: expected `]`, but here is `..`");
  EXPECT_EQ(Error("reply key[]"), "11: expected a value, but here is `]`");
  EXPECT_EQ(Error("reply revision[1..]"),
            "15: a range is one of a text or bytes, and this is a "
            "number");
  EXPECT_EQ(Error("reply key[key..]"), "11: a range counts bytes, and this is a slug");
  EXPECT_EQ(Error("reply key[..b]", "(b: int?)"),
            "13: `b` may be absent here | open it first: let it = b else not_found");
  EXPECT_EQ(Error("reply key[nope..]"), "11: there is no `nope` here");
  EXPECT_EQ(Error("reply value[1..]"), "12: this may be absent | write: reply ... else not_found");
  EXPECT_EQ(Error("b[1..2] = b", "(b: bytes(..9))"),
            "1: a range can not be assigned | join what is around it: text = text[..at] + part + "
            "text[at..]");
}

TEST(SliceErrorsTest, ARangeThatNeverIsIsAnError) {
  const Bytes never = "12: there is never such a range | the value has 3 to 3 bytes";
  EXPECT_EQ(Error("reply \"abc\"[..4]"), never);
  EXPECT_EQ(Error("reply \"abc\"[4..]"), never);
  EXPECT_EQ(Error("reply \"abc\"[2..1]"), never);
  EXPECT_EQ(Error("reply \"abc\"[-1..]"), never);
  EXPECT_EQ(Error("reply \"abc\"[3..3]"), "");
  EXPECT_EQ(Error("reply t[8..]", "(t: text(..7))"),
            "8: there is never such a range | the value has 0 to 7 bytes");
}

TEST(SliceErrorsTest, ConstantEndsNarrowTheBounds) {
  const Bytes wide = "(b: bytes(100..500))";
  EXPECT_EQ(Error("value = b", wide),
            "9: this never fits: the value of this document is bytes(..64), and this is "
            "bytes(100..500)");
  EXPECT_EQ(Described("value = b[10..40]", wide).find("\"full\""), std::string::npos);
  EXPECT_TRUE(absl::StrContains(Described("value = b[10..40]", wide), "\"max_save_bytes\":30"));
  EXPECT_TRUE(absl::StrContains(Described("value = b[450..]", wide), "\"max_save_bytes\":50"));
  EXPECT_EQ(Error("reply b[..10] + b[600..]", wide),
            "18: there is never such a range | the value has 100 to 500 bytes");
  EXPECT_EQ(Error("reply b[1MiB..]", "(b: bytes(..2MiB))"), "");
}

TEST(SliceErrorsTest, TheFaultIsNamedWhereItMayBe) {
  EXPECT_FALSE(MayFault("reply b[1..2]", "(b: bytes(2..9))"));
  EXPECT_TRUE(MayFault("reply b[1..3]", "(b: bytes(2..9))"));
  EXPECT_FALSE(MayFault("reply b[n..]", "(b: bytes(2..9), n: int(0..2))"));
  EXPECT_TRUE(MayFault("reply b[n..]", "(b: bytes(2..9), n: int(0..3))"));
  EXPECT_TRUE(MayFault("reply b[n..]", "(b: bytes(2..9), n: int(-1..2))"));
  EXPECT_TRUE(MayFault("reply t[1..2]", "(t: text(2..9))")) << "it may cut a character";
  EXPECT_FALSE(MayFault("reply t[..]", "(t: text(2..9))"));
  EXPECT_FALSE(MayFault("reply key[..1]", "")) << "a slug is ASCII";
}

}  // namespace
}  // namespace pure::modules
