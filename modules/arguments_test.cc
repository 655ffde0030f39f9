// How payloads become arguments, and which parameter is named when they do not.

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "modules/testing/app_fixture.h"

namespace pure::modules {
namespace {

using pure::testing::AppFixture;
using pure::testing::BodyOf;
using pure::testing::DocumentModule;

// The answer to a form, or "type N" with the number of the parameter.
std::string Post(Bytes parameters, Bytes reply_expr, Bytes form,
                 BodyEncoding encoding = BodyEncoding::kForm) {
  AppFixture app(
      DocumentModule(absl::StrCat("message x", parameters, " { reply ", reply_expr, " }")));
  const Reply reply = app.Call("x", "a", form, encoding);
  if (reply.result == Result::kType) return absl::StrCat("type ", reply.detail);
  if (reply.result != Result::kOk) return std::string(ResultName(reply.result));
  return BodyOf(reply);
}

TEST(ArgumentsTest, FieldsMayStandInAnyOrder) {
  EXPECT_EQ(Post("(a: int, b: text(..9))", "b", "b=x+y&a=1"), "\"x y\"");
  EXPECT_EQ(Post("(a: int, b: text(..9))", "a", "%61=-12&b="), "-12");
}

TEST(ArgumentsTest, MissingRepeatedAndUnknownFieldsAreNamed) {
  const Bytes two = "(a: int, b: int)";
  EXPECT_EQ(Post(two, "a", "a=1"), "type 1");
  EXPECT_EQ(Post(two, "a", ""), "type 0");
  EXPECT_EQ(Post(two, "a", "a=1&b=2&a=1"), "type 0");
  EXPECT_EQ(Post(two, "a", "a=1&b=2&c=3"), "type 2");
  EXPECT_EQ(Post(two, "a", "a=1&b"), "type 2");
  EXPECT_EQ(Post(two, "a", "a=1&b=2&"), "type 2");
  EXPECT_EQ(Post(two, "a", "a=%zz&b=2"), "type 0");
}

TEST(ArgumentsTest, Numbers) {
  const auto number = [](Bytes text) { return Post("(n: int)", "n", absl::StrCat("n=", text)); };
  EXPECT_EQ(number("0"), "0");
  EXPECT_EQ(number("-0"), "0");
  EXPECT_EQ(number("007"), "7");
  EXPECT_EQ(number("9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(number("-9223372036854775808"), "-9223372036854775808");
  for (const Bytes bad : {"", "-", "+1", "%2B1", "1.0", "1e3", " 1", "1 ", "0x1", "1_0",
                          "9223372036854775808", "-9223372036854775809", "99999999999999999999"}) {
    EXPECT_EQ(number(bad), "type 0") << bad;
  }
  EXPECT_EQ(Post("(n: int(2..4))", "n", "n=1"), "type 0");
  EXPECT_EQ(Post("(n: int(2..4))", "n", "n=4"), "4");
  EXPECT_EQ(Post("(n: int(2..4))", "n", "n=5"), "type 0");
}

std::string PostJson(Bytes parameters, Bytes reply_expr, Bytes json) {
  return Post(parameters, reply_expr, json, BodyEncoding::kJson);
}

TEST(ArgumentsTest, MembersOfAJsonObject) {
  const Bytes all = "(n: int, t: text(..9), b: bool, c: one of red blue, s: slug(4)?)";
  const Bytes right = R"({"t":"\u00e9\"\n","n":-5,"c":"blue","b":true})";
  EXPECT_EQ(PostJson(all, "n", right), "-5");
  EXPECT_EQ(PostJson(all, "t", right), "\"\xC3\xA9\\\"\\n\"");
  EXPECT_EQ(PostJson(all, "b", right), "true");
  EXPECT_EQ(PostJson(all, "c", right), "\"blue\"");
  const Bytes absent = R"( { "n" : 1 , "t":"","b":false,"c":"red","s":null } )";
  EXPECT_EQ(PostJson(all, "s == none", absent), "true");
  EXPECT_EQ(PostJson(all, "s == none", right), "true");
}

TEST(ArgumentsTest, JsonNumbersAreWhole) {
  const auto number = [](Bytes text) {
    return PostJson("(n: int)", "n", absl::StrCat("{\"n\":", text, "}"));
  };
  EXPECT_EQ(number("0"), "0");
  EXPECT_EQ(number("-0"), "0");
  EXPECT_EQ(number("9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(number("-9223372036854775808"), "-9223372036854775808");
  for (const Bytes bad : {"1.0", "1e3", "9223372036854775808", "-9223372036854775809", "\"1\"",
                          "true", "null", "[1]", "{}"}) {
    EXPECT_EQ(number(bad), "type 0") << bad;
  }
  EXPECT_EQ(PostJson("(n: int(2..4))", "n", "{\"n\":5}"), "type 0");
}

TEST(ArgumentsTest, WhatIsNoJsonObjectWithTheseMembersIsRefused) {
  const Bytes two = "(a: int, b: text(..3))";
  EXPECT_EQ(PostJson(two, "a", R"({"a":1})"), "type 1");
  EXPECT_EQ(PostJson(two, "a", R"({"b":"x"})"), "type 0");
  EXPECT_EQ(PostJson(two, "a", R"({"a":1,"b":"x","a":1})"), "type 0");
  EXPECT_EQ(PostJson(two, "a", R"({"a":1,"b":"x","c":1})"), "type 2");
  EXPECT_EQ(PostJson(two, "a", R"({"a":1,"b":"long"})"), "type 1");
  EXPECT_EQ(PostJson(two, "a", R"({"a":1,"b":7})"), "type 1");
  for (const Bytes bad : {"", " ", "[]", "1", "null", "{", "{\"a\":1,}", "{\"a\":1,\"b\":\"x\"} x",
                          "{'a':1}", "{\"a\":01,\"b\":\"x\"}", "{\"a\":1,\"b\":\"\xFF\"}",
                          "{\"a\":1,\"b\":\"\\ud800\"}", "{\"a\":1,\"b\":\"\n\"}"}) {
    EXPECT_EQ(PostJson(two, "a", bad), "type 2") << bad;
  }
  EXPECT_EQ(PostJson(two, "a", std::string(1 << 20, '[')), "type 2");
  EXPECT_EQ(PostJson(two, "a", std::string(1 << 20, ' ')), "type 2");
}

TEST(ArgumentsTest, TruthsCasesAndSlugs) {
  EXPECT_EQ(Post("(b: bool)", "b", "b=true"), "true");
  EXPECT_EQ(Post("(b: bool)", "b", "b=false"), "false");
  EXPECT_EQ(Post("(b: bool)", "b", "b=on"), "type 0");
  EXPECT_EQ(Post("(m: one of sad happy)", "m", "m=ha%70py"), "\"happy\"");
  EXPECT_EQ(Post("(m: one of sad happy)", "m", "m=glad"), "type 0");
  EXPECT_EQ(Post("(s: slug(4))", "s", "s=a-_9"), "\"a-_9\"");
  for (const Bytes bad : {"", "abcde", "a+b", "a%2Fb", "%C3%BC"}) {
    EXPECT_EQ(Post("(s: slug(4))", "s", absl::StrCat("s=", bad)), "type 0") << bad;
  }
}

TEST(ArgumentsTest, TextsHaveTheirBoundsAndAreUtf8) {
  EXPECT_EQ(Post("(t: text(2..3))", "t", "t=%C3%BC"), "\"\xC3\xBC\"");
  EXPECT_EQ(Post("(t: text(2..3))", "t", "t=a"), "type 0");
  EXPECT_EQ(Post("(t: text(2..3))", "t", "t=abcd"), "type 0");
  EXPECT_EQ(Post("(t: text(2..3))", "t", "t=%FF%FF"), "type 0");
  EXPECT_EQ(Post("(t: bytes(2..3))", "t", "t=%FF%00"), std::string("\xFF\0", 2));
}

TEST(ArgumentsTest, OptionsMayBeLeftOut) {
  EXPECT_EQ(Post("(n: int?)", "n == none", ""), "true");
  EXPECT_EQ(Post("(n: int?)", "n == none", "n="), "true") << "as a browser sends an empty input";
  EXPECT_EQ(Post("(n: int?)", "n == none", "n=1"), "false");
  EXPECT_EQ(Post("(n: int?)", "n == none", "n=x"), "type 0");
  EXPECT_EQ(Post("(t: text(..9)?)", "t == none", "t="), "false") << "an empty text is a text";
  EXPECT_EQ(Post("(t: text(..9)?)", "t == none", ""), "true");
}

TEST(ArgumentsTest, ARawPayloadIsTheOneTextOrBytes) {
  EXPECT_EQ(Post("(t: text(..9))", "t", "a=b&c", BodyEncoding::kRaw), "\"a=b&c\"");
  EXPECT_EQ(Post("(t: bytes(..9))", "t", "\xFF", BodyEncoding::kRaw), "\xFF");
  EXPECT_EQ(Post("(t: text(..3))", "t", "abcd", BodyEncoding::kRaw), "limit");
  EXPECT_EQ(Post("(t: text(..3))", "t", "\xFF", BodyEncoding::kRaw), "type 0");
  EXPECT_EQ(Post("(n: int)", "n", "1", BodyEncoding::kRaw), "type 1");
  EXPECT_EQ(Post("(a: text(..9), b: text(..9))", "a", "x", BodyEncoding::kRaw), "type 2");
  EXPECT_EQ(Post("", "1", "x", BodyEncoding::kRaw), "type 0");
  EXPECT_EQ(Post("", "1", "", BodyEncoding::kRaw), "1");
  EXPECT_EQ(Post("(n: int?)", "n == none", "", BodyEncoding::kRaw), "true");
}

TEST(ArgumentsTest, AConditionIsCheckedBeforeTheArguments) {
  AppFixture app(DocumentModule("message x(n: int) { reply n }"));
  const Reply reply = app.Call("x", "a", "n=x", BodyEncoding::kForm, {Condition::Kind::kNever, 0});
  EXPECT_EQ(reply.result, Result::kConflict);
}

TEST(ArgumentsTest, DecodedArgumentsLiveUntilTheWriteIsSettled) {
  AppFixture app(DocumentModule("message put(t: text(..64)) { value = t; reply none }"));
  Reply first;
  Reply second;
  {
    std::string form = "t=first+text%21";
    first = app.Apply("put", "a", form, BodyEncoding::kForm);
    form.assign(form.size(), '#');  // decoded octets are no longer in the request
  }
  second = app.Apply("put", "b", "t=second+text", BodyEncoding::kForm);
  app.Commit();
  EXPECT_EQ(app.store().Value("a"), "first text!");
  EXPECT_EQ(app.store().Value("b"), "second text");
}

}  // namespace
}  // namespace pure::modules
