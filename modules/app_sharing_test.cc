// What of a stored value is read, staged again and lent.

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "modules/app.h"
#include "modules/testing/app_fixture.h"

namespace pure::modules {
namespace {

using pure::testing::AppFixture;
using pure::testing::BodyOf;
using pure::testing::DocumentModule;
using pure::testing::ExampleText;

// How often a message called Peek, FindToStage and Find on a document "stored".
std::string ReadsOf(Bytes body) {
  AppFixture app(DocumentModule(absl::StrCat("message x(a: bytes(..32)) {\n", body, "\n}")));
  app.store().Put("a", "stored");
  EXPECT_EQ(app.Apply("x", "a", "argument").result, Result::kOk);
  return absl::StrCat(app.store().peeks(), app.store().finds_to_stage(), app.store().finds());
}

TEST(AppSharingTest, OctetsThatAMessageDoesNotLookAtAreNotChecked) {
  const Bytes peeked = "100", staged = "010", found = "001";
  EXPECT_EQ(ReadsOf("value = a"), peeked);
  EXPECT_EQ(ReadsOf("value = if value == none then a else a + a"), peeked);
  EXPECT_EQ(ReadsOf("value = a\nreply value"), peeked);
  EXPECT_EQ(ReadsOf("if revision == 0 { value = none }\nreply revision"), peeked);

  EXPECT_EQ(ReadsOf("let old = value else \"\"\nvalue = old + a"), staged);
  EXPECT_EQ(ReadsOf("let old = value else not_found\nreply size(old)"), staged);
  EXPECT_EQ(ReadsOf("let old = value else a\nvalue = a + old + old\nreply a == a"), staged);
  EXPECT_EQ(ReadsOf("let old = value else a\nold = a\nreply old"), staged);
  EXPECT_EQ(ReadsOf("let old = value else a\n"
                    "if size(a) > 1 { old = a; reply old }\nvalue = old + a"),
            staged);

  EXPECT_EQ(ReadsOf("reply value else not_found"), found);
  EXPECT_EQ(ReadsOf("let old = value else \"\"\nvalue = old + a\nreply old == a"), found);
  EXPECT_EQ(ReadsOf("let old = value else \"\"\nvalue = old + a\nreply value"), found);
  EXPECT_EQ(ReadsOf("let old = value else a\nif size(a) > 99 { old = a }\nreply old"), found)
      << "one way is enough";
  EXPECT_EQ(
      ReadsOf(
          "let old = a\nlet was = value else a\nif size(a) > 1 { old = was } else { old = a + a }\n"
          "reply if old < a then 1 else 2"),
      found);
}

TEST(AppSharingTest, StoredOctetsThatAreNotCheckedAreNeverCopied) {
  AppFixture app(
      DocumentModule("message x(a: bytes(..8)) {\n let old = value else \"\"\n let twice = old + "
                     "old\n let all = a + twice + old + a\n require size(all) < 99 else full\n "
                     "value = all\n}"));
  app.store().set_extent_bytes(2);
  app.store().Put("a", "abc");
  const Reply reply = app.Call("x", "a", "..");  // a read of what is lent would end the test
  EXPECT_EQ(reply.result, Result::kOk);
  EXPECT_EQ(app.store().finds_to_stage(), 1);
  EXPECT_EQ(app.store().Value("a"), "..abcabcabc..");
  EXPECT_EQ(app.store().lent(), 0);
}

TEST(AppSharingTest, ARangeOfTheStoredValueIsLentWhereItLies) {
  AppFixture app(
      "module m 1\ndocument d(key: slug(64)): bytes(..8MiB)\n"
      "message show { reply value[2..] else not_found }\n"
      "message page(start: int, end: int) { reply value[start..end] else not_found }\n"
      "message swap(next: bytes(..9)) {\n let old = value else not_found\n"
      " value = next + old[..3]\n reply old[1..]\n}\n"
      "message join {\n let old = value else not_found\n reply old[..2] + old[4..6]\n}\n");
  app.store().set_extent_bytes(3u << 20);
  app.store().Put("a", std::string(4u << 20, 'x') + std::string(4u << 20, 'y'));
  const Reply whole = app.Call("show", "a");
  const Reply page = app.Post("page", "a", "start=4194000&end=4194400");
  ASSERT_EQ(page.result, Result::kOk);
  EXPECT_EQ(BodyOf(page), std::string(304, 'x') + std::string(96, 'y'));
  ASSERT_EQ(whole.body.spans().size(), 3u);
  EXPECT_EQ(whole.body.size_bytes(), (8u << 20) - 2);
  EXPECT_EQ(page.body.spans()[0].data(), whole.body.spans()[1].data() + 4194000 - (3u << 20));
  EXPECT_EQ(app.Post("page", "a", "start=1048576&end=8388608").body.size_bytes(), 7u << 20)
      << "what is lent may be larger than what is made";
  EXPECT_EQ(BodyOf(app.Call("join", "a")), "xxxx");
  EXPECT_EQ(app.Call("show", "b").result, Result::kNotFound);

  Reply swapped = app.Apply("swap", "a", "new ");
  app.Commit();
  EXPECT_EQ(swapped.body.size_bytes(), (8u << 20) - 1);
  EXPECT_EQ(app.store().Value("a"), "new xxx");
  EXPECT_EQ(app.store().finds_to_stage(), 0);
  EXPECT_EQ(app.store().lent(), 3);
  swapped.body.Reset();
  EXPECT_EQ(app.store().lent(), 2);
}

TEST(AppSharingTest, ASpliceOfBytesStagesPartsOfTheValueUnseenAndOneOfATextLooksAtItsCuts) {
  for (const bool text : {false, true}) {
    AppFixture app(absl::StrCat("module m 1\ndocument d(key: slug(64)): ", text ? "text" : "bytes",
                                "(..8MiB)\nmessage splice(at: int, cut: int, text: text(..99)) {\n"
                                "let old = value else \"\"\n"
                                "value = old[..at] + text + old[at + cut..]\n}\n"));
    app.store().set_extent_bytes(300);
    app.store().Put("a", std::string(1000, 'x') + "\xC3\xBC" + std::string(1000, 'y'));
    const Reply reply = app.Apply("splice", "a", "at=1000&cut=2&text=u", BodyEncoding::kForm);
    ASSERT_EQ(reply.result, Result::kOk);
    EXPECT_EQ(app.store().finds_to_stage(), text ? 0 : 1);
    EXPECT_EQ(app.store().finds(), text ? 1 : 0);
    EXPECT_EQ(app.store().pieces(0).size(), 9u);
    app.Commit();
    EXPECT_EQ(app.store().Value("a"), std::string(1000, 'x') + "u" + std::string(1000, 'y'));
    EXPECT_EQ(app.FaultOf(app.Post("splice", "a", "at=2001&cut=1&text=")), "range");
    EXPECT_EQ(app.FaultOf(app.Post("splice", "a", "at=-1&cut=0&text=")), "range");
    EXPECT_EQ(app.store().lent(), 0);
  }
}

TEST(AppSharingTest, AReplyOfTheStoredValueIsLentEvenWhenItIsReplaced) {
  AppFixture app(
      DocumentModule("message swap(next: bytes(..64)) {\n let old = value else not_found\n value = "
                     "next + old\n reply old\n}"));
  app.store().Put("a", "stored");
  const Reply reply = app.Apply("swap", "a", "new ");
  EXPECT_EQ(BodyOf(reply), "stored");
  EXPECT_EQ(app.store().finds(), 1);
  app.Commit();
  EXPECT_EQ(BodyOf(reply), "stored") << "the body outlives the commit";
  EXPECT_EQ(app.store().Value("a"), "new stored");
  EXPECT_EQ(app.store().lent(), 1);
}

TEST(AppSharingTest, PagesAreSplicedUnseenAndReadInParts) {
  AppFixture pages(ExampleText("pages.pure"));
  EXPECT_EQ(pages.Post("splice", "a", "at=0&cut=0&text=x").result, Result::kNotFound);
  EXPECT_EQ(pages.Call("edit", "a", "one three").revision, 1u);
  EXPECT_EQ(BodyOf(pages.Post("splice", "a", "at=4&cut=0&text=two+")), "2");
  EXPECT_EQ(BodyOf(pages.Post("splice", "a", "at=0&cut=3&text=ONE")), "3");
  EXPECT_EQ(pages.store().finds(), 0);
  EXPECT_EQ(BodyOf(pages.Post("part", "a", "start=4&end=7")), "two");
  EXPECT_EQ(BodyOf(pages.Call("show", "a")), "ONE two three");
  EXPECT_EQ(pages.FaultOf(pages.Post("splice", "a", "at=14&cut=0&text=")), "range");
  EXPECT_EQ(pages.FaultOf(pages.Post("splice", "a", "at=13&cut=1&text=")), "range");
  EXPECT_EQ(pages.FaultOf(pages.Post("part", "a", "start=0&end=14")), "range");
  EXPECT_EQ(pages.FaultOf(pages.Post("part", "a", "start=2&end=1")), "range");
  EXPECT_EQ(pages.store().Revision("a"), 3u);
}

}  // namespace
}  // namespace pure::modules
