#include "modules/app.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "modules/testing/app_fixture.h"

namespace pure::modules {
namespace {

using pure::testing::AppFixture;
using pure::testing::BodyOf;
using pure::testing::DocumentModule;
using pure::testing::ExampleText;

Condition Absent() { return {Condition::Kind::kAbsent, 0}; }
Condition AtRevision(uint64_t revision) { return {Condition::Kind::kRevision, revision}; }

TEST(AppTest, ObjectsAreCreatedReadUpdatedAndGuardedByTheirRevision) {
  AppFixture objects(ExampleText("objects.pure"));
  EXPECT_EQ(objects.Call("show", "a").result, Result::kNotFound);

  Reply reply = objects.Call("edit", "a", "one", BodyEncoding::kRaw, Absent());
  EXPECT_EQ(reply.result, Result::kOk);
  EXPECT_EQ(reply.revision, 1u);
  EXPECT_TRUE(reply.wrote);
  EXPECT_EQ(BodyOf(reply), "");

  reply = objects.Call("show", "a");
  EXPECT_EQ(reply.result, Result::kOk);
  EXPECT_EQ(reply.revision, 1u);
  EXPECT_FALSE(reply.wrote);
  EXPECT_EQ(reply.content_type, "application/octet-stream");
  EXPECT_EQ(BodyOf(reply), "one");

  reply = objects.Call("edit", "a", "two", BodyEncoding::kRaw, AtRevision(1));
  EXPECT_EQ(reply.result, Result::kOk);
  EXPECT_EQ(reply.revision, 2u);

  reply = objects.Call("edit", "a", "three", BodyEncoding::kRaw, AtRevision(1));
  EXPECT_EQ(reply.result, Result::kConflict);
  EXPECT_EQ(reply.revision, 2u);
  EXPECT_FALSE(reply.wrote);
  EXPECT_EQ(objects.store().Value("a"), "two");

  reply = objects.Call("edit", "a", "three", BodyEncoding::kRaw, Absent());
  EXPECT_EQ(reply.result, Result::kConflict);
  EXPECT_EQ(reply.revision, 2u);
}

TEST(AppTest, AConflictOverAnAbsentDocumentNamesNoRevision) {
  AppFixture objects(ExampleText("objects.pure"));
  Reply reply = objects.Call("edit", "a", "x", BodyEncoding::kRaw, AtRevision(7));
  EXPECT_EQ(reply.result, Result::kConflict);
  EXPECT_EQ(reply.revision, 0u);
  reply = objects.Call("edit", "a", "x", BodyEncoding::kRaw, {Condition::Kind::kNever, 0});
  EXPECT_EQ(reply.result, Result::kConflict);
}

TEST(AppTest, AnEditStagesTheRequestsOctetsWhereTheyLieAndReadsNoStoredOnes) {
  AppFixture objects(ExampleText("objects.pure"));
  objects.store().Put("a", "old");
  const std::string body(100000, 'b');
  const Reply reply = objects.Apply("edit", "a", body);
  EXPECT_EQ(reply.result, Result::kOk);
  ASSERT_EQ(objects.store().pieces(0).size(), 1u);
  EXPECT_EQ(objects.store().pieces(0)[0].data(), body.data());
  EXPECT_EQ(objects.store().finds(), 0);
  EXPECT_EQ(objects.store().peeks(), 1);
}

TEST(AppTest, AnEmptyBodyIsAValue) {
  AppFixture objects(ExampleText("objects.pure"));
  EXPECT_EQ(objects.Call("edit", "a", "").result, Result::kOk);
  EXPECT_TRUE(objects.store().Has("a"));
  const Reply reply = objects.Call("show", "a");
  EXPECT_EQ(reply.result, Result::kOk);
  EXPECT_EQ(reply.revision, 1u);
  EXPECT_EQ(BodyOf(reply), "");
}

TEST(AppTest, ABodyOverTheTypesBoundIsALimit) {
  AppFixture app(DocumentModule("message edit(body: bytes(3..5)) { value = body; reply none }"));
  EXPECT_EQ(app.Call("edit", "a", "123456").result, Result::kLimit);
  EXPECT_EQ(app.Call("edit", "a", "12").result, Result::kType);
  EXPECT_EQ(app.Call("edit", "a", "12345").result, Result::kOk);
  EXPECT_EQ(app.store().Revision("a"), 1u);
}

TEST(AppTest, ATextThatIsNotUtf8IsRefused) {
  AppFixture app(DocumentModule("message edit(body: text(..64)) { value = body; reply none }"));
  const Reply reply = app.Call("edit", "a", "\xFF");
  EXPECT_EQ(reply.result, Result::kType);
  EXPECT_EQ(reply.detail, 0);
  EXPECT_EQ(app.Call("edit", "a", "z\xC3\xBC").result, Result::kOk);
}

TEST(AppTest, AKeyLongerThanTheModuleAllowsNamesNothing) {
  AppFixture app(
      "module m 1\ndocument d(key: slug(3)): bytes(..9)\n"
      "message edit(body: bytes(..9)) { value = body; reply none }\n");
  EXPECT_EQ(app.Call("edit", "abcd", "x").result, Result::kNotFound);
  EXPECT_EQ(app.Call("edit", "abc", "x").result, Result::kOk);
}

TEST(AppTest, NotesAppendJoinsStoredExtentsAndTheLineWithoutCopyingThem) {
  AppFixture notes(ExampleText("notes.pure"));
  notes.store().set_extent_bytes(200);
  const std::string old(500, 'o');
  notes.store().Put("a", old);
  const std::string line(300, 'n');
  const Reply reply = notes.Apply("append", "a", line);
  ASSERT_EQ(reply.result, Result::kOk);
  EXPECT_EQ(reply.revision, 2u);
  EXPECT_EQ(BodyOf(reply), "2");
  EXPECT_EQ(reply.content_type, "application/json");
  const std::vector<Bytes>& pieces = notes.store().pieces(0);
  ASSERT_EQ(pieces.size(), 5u);
  EXPECT_EQ(pieces[3].data(), line.data());
  EXPECT_EQ(notes.store().lent(), 1) << "the old extents are held until the commit";
  notes.Commit();
  EXPECT_EQ(notes.store().lent(), 0);
  EXPECT_EQ(notes.store().Value("a"), old + line + "\n");
}

TEST(AppTest, NotesAppendCreatesAndRefusesWhatDoesNotFit) {
  AppFixture notes(ExampleText("notes.pure"));
  EXPECT_EQ(BodyOf(notes.Post("append", "a", "line=one+line%21")), "1");
  EXPECT_EQ(BodyOf(notes.Call("append", "a", "two")), "2");
  EXPECT_EQ(notes.store().Value("a"), "one line!\ntwo\n");

  notes.store().Put("b", std::string((1 << 20) - 4, 'x'));
  const Reply full = notes.Call("append", "b", "four");
  EXPECT_EQ(notes.FaultOf(full), "large");
  EXPECT_FALSE(full.wrote);
  EXPECT_EQ(notes.store().Revision("b"), 1u);
  EXPECT_EQ(notes.store().lent(), 0);
  EXPECT_EQ(notes.Call("append", "b", "333").result, Result::kOk);
  EXPECT_EQ(notes.store().Value("b").size(), size_t{1} << 20);
}

TEST(AppTest, NotesRemoveErasesAndTheRevisionGoesOn) {
  AppFixture notes(ExampleText("notes.pure"));
  EXPECT_EQ(notes.Call("remove", "a").result, Result::kNotFound);
  notes.store().Put("a", "x");
  const Reply removed = notes.Call("remove", "a");
  EXPECT_EQ(removed.result, Result::kOk);
  EXPECT_TRUE(removed.wrote);
  EXPECT_EQ(removed.revision, 0u);
  EXPECT_FALSE(notes.store().Has("a"));
  EXPECT_EQ(notes.Call("remove", "a").result, Result::kNotFound);
  EXPECT_EQ(notes.Call("show", "a").result, Result::kNotFound);
  EXPECT_EQ(BodyOf(notes.Call("append", "a", "again")), "3");
}

TEST(AppTest, SeveralStagedWritesAreNumberedAndHeldUntilSettled) {
  AppFixture notes(ExampleText("notes.pure"));
  notes.store().Put("a", std::string(400, 'a'));
  notes.store().Put("b", std::string(400, 'b'));
  EXPECT_EQ(notes.Apply("append", "a", "1").staged_index, 0u);
  EXPECT_EQ(notes.Apply("append", "full", "").result, Result::kType)
      << "a line has a byte at least";
  EXPECT_EQ(notes.Apply("append", "b", "2").staged_index, 1u);
  EXPECT_EQ(notes.store().lent(), 2);
  notes.Commit();
  EXPECT_EQ(notes.store().lent(), 0);
  EXPECT_EQ(notes.store().Value("a"), std::string(400, 'a') + "1\n");
  EXPECT_EQ(notes.store().Value("b"), std::string(400, 'b') + "2\n");
  EXPECT_EQ(notes.Apply("append", "a", "3").staged_index, 0u);
  notes.Commit();
}

TEST(AppTest, WhatTheStoreRefusesIsTheResultAndLeavesNothing) {
  AppFixture notes(ExampleText("notes.pure"));
  notes.store().Put("a", std::string(500, 'x'));
  for (const Result result : {Result::kStorage, Result::kAllocation}) {
    notes.store().set_next_read(result);
    EXPECT_EQ(notes.Apply("show", "a").result, result);
  }
  for (const Result result : {Result::kLimit, Result::kAllocation}) {
    notes.store().set_next_stage(result);
    const Reply reply = notes.Apply("append", "a", "line");
    EXPECT_EQ(reply.result, result);
    EXPECT_FALSE(reply.wrote);
    EXPECT_EQ(reply.revision, 0u);
    EXPECT_EQ(reply.body.size_bytes(), 0u);
    EXPECT_EQ(notes.store().lent(), 0);
  }
  EXPECT_EQ(notes.Apply("append", "a", "line").staged_index, 0u);
  notes.store().Discard();
  notes.app().Settle(true);
  EXPECT_EQ(notes.store().lent(), 0);
}

TEST(AppTest, AnAssignmentIsSeenByWhatFollows) {
  AppFixture app(
      DocumentModule("message twice(add: text(..9)) {\n"
                     "  value = (if value == none then \"new \" else \"old \") + add\n"
                     "  let first = revision\n"
                     "  value = value + \".\"\n"
                     "  require revision == first else type\n"
                     "  reply value\n"
                     "}\n"
                     "message gone {\n"
                     "  value = none\n"
                     "  require value == none else type\n"
                     "  reply revision\n"
                     "}"));
  Reply reply = app.Call("twice", "a", "x");
  EXPECT_EQ(BodyOf(reply), "new x.");
  EXPECT_EQ(reply.revision, 1u);
  EXPECT_EQ(reply.content_type, "");
  EXPECT_EQ(BodyOf(app.Call("twice", "a", "y")), "old y.");
  EXPECT_EQ(app.store().Value("a"), "old y.");
  reply = app.Call("gone", "a");
  EXPECT_EQ(BodyOf(reply), "3");
  EXPECT_EQ(reply.revision, 0u);
  EXPECT_FALSE(app.store().Has("a"));
  reply = app.Call("gone", "a");
  EXPECT_EQ(reply.result, Result::kOk);
  EXPECT_FALSE(reply.wrote) << "nothing was there to erase";
}

TEST(AppTest, TheKeyMayBecomePartOfTheValueAndOutlivesTheCall) {
  AppFixture app(DocumentModule("message name { value = key\n reply key }"));
  Reply reply;
  {
    const std::string text = "some-key";
    reply = app.Apply("name", text);
  }
  app.Commit();
  EXPECT_EQ(BodyOf(reply), "\"some-key\"");
  EXPECT_EQ(app.store().Value("some-key"), "some-key");
}

TEST(AppTest, AValueThatDoesNotFitIsTheFaultFullOrTypeAndNothingIsWritten) {
  AppFixture app(
      "module m 1\ndocument d(key: slug(64)): text(2..5)\n"
      "message put(t: text(..9)) { value = t\n reply none }\n"
      "message own(t: text(..9)) fault full 413 \"No.\" { value = t\n reply none }\n");
  EXPECT_EQ(app.FaultOf(app.Call("put", "a", "123456")), "full");
  EXPECT_EQ(app.FaultOf(app.Call("put", "a", "1")), "type");
  EXPECT_EQ(app.Call("put", "a", "12345").result, Result::kOk);
  const Reply own = app.Call("own", "a", "123456");
  ASSERT_EQ(own.result, Result::kFault);
  EXPECT_EQ(app.module().faults()[own.detail].status, 413)
      << "a fault of the message's own by this name";
  EXPECT_EQ(app.store().Value("a"), "12345");
}

TEST(AppTest, AnOptionIsWrittenOrErases) {
  AppFixture app(DocumentModule("message put(t: text(..9)?) { value = t\n reply none }"));
  EXPECT_EQ(app.Post("put", "a", "t=x").revision, 1u);
  EXPECT_EQ(app.store().Value("a"), "x");
  const Reply erased = app.Post("put", "a", "");
  EXPECT_TRUE(erased.wrote);
  EXPECT_EQ(erased.revision, 0u);
  EXPECT_FALSE(app.store().Has("a"));
}

TEST(AppTest, ShowOfATextDocumentIsItsOctetsAndOtherMessagesAnswerJson) {
  AppFixture app(
      "module m 1\ndocument d(key: slug(64)): text(..99) as html\n"
      "message show { reply value else \"<p>none</p>\" }\n"
      "message json { reply value else not_found }\n");
  Reply reply = app.Call("show", "a");
  EXPECT_EQ(BodyOf(reply), "<p>none</p>");
  EXPECT_EQ(reply.content_type, "text/html; charset=utf-8");
  app.store().set_extent_bytes(3);
  app.store().Put("a", "\"z\xC3\xBC\"\n");
  EXPECT_EQ(BodyOf(app.Call("show", "a")), "\"z\xC3\xBC\"\n");
  reply = app.Call("json", "a");
  EXPECT_EQ(BodyOf(reply), "\"\\\"z\xC3\xBC\\\"\\n\"");
  EXPECT_EQ(reply.content_type, "application/json");
  EXPECT_EQ(app.Call("json", "b").result, Result::kNotFound);
}

}  // namespace
}  // namespace pure::modules
