#include "modules/app.h"

#include <string>

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
}

TEST(AppTest, AConflictOverAnAbsentDocumentNamesNoRevision) {
  AppFixture objects(ExampleText("objects.pure"));
  const Reply reply = objects.Call("edit", "a", "x", BodyEncoding::kRaw, AtRevision(7));
  EXPECT_EQ(reply.result, Result::kConflict);
  EXPECT_EQ(reply.revision, 0u);
}

TEST(AppTest, NotesAppendJoinsStoredExtentsAndTheLineWithoutCopyingThem) {
  AppFixture notes(ExampleText("notes.pure"));
  notes.store().set_extent_bytes(200);
  const std::string old(500, 'o');
  notes.store().Put("a", old);
  const std::string line(300, 'n');
  const Reply reply = notes.Apply("append", "a", line);
  ASSERT_EQ(reply.result, Result::kOk);
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

}  // namespace
}  // namespace pure::modules
