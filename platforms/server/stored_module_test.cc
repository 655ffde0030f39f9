#include "platforms/server/stored_module.h"

#include <string>

#include "gtest/gtest.h"
#include "runtime/key.h"
#include "store/memory_store.h"

namespace pure::server {
namespace {

TEST(StoredModuleTest, TheTextIsKeptAndFound) {
  store::MemoryStore store;
  std::string text;
  EXPECT_EQ(FindModuleText(&store, &text), Result::kNotFound);
  EXPECT_EQ(store.counters().keys, 0u);
  EXPECT_EQ(KeepModuleText("module a 1\n", &store), Result::kOk);
  EXPECT_EQ(FindModuleText(&store, &text), Result::kOk);
  EXPECT_EQ(text, "module a 1\n");
  EXPECT_EQ(store.counters().keys, 0u);
  EXPECT_EQ(KeepModuleText("module a 2\n", &store), Result::kOk);
  EXPECT_EQ(FindModuleText(&store, &text), Result::kOk);
  EXPECT_EQ(text, "module a 2\n");
  EXPECT_EQ(store.counters().keys, 0u);
}

TEST(StoredModuleTest, TheSameTextIsNotSavedAgain) {
  store::MemoryStore store;
  EXPECT_EQ(KeepModuleText("module a 1\n", &store), Result::kOk);
  const uint64_t saves = store.counters().commit_groups;
  EXPECT_EQ(KeepModuleText("module a 1\n", &store), Result::kOk);
  EXPECT_EQ(store.counters().commit_groups, saves);
}

TEST(StoredModuleTest, WhenItCanNotBeSavedTheOldOneStays) {
  store::MemoryStore store;
  ASSERT_EQ(KeepModuleText("module a 1\n", &store), Result::kOk);
  for (const Result failure : {Result::kFull, Result::kUncertain}) {
    store.FailSaves(1, failure);
    EXPECT_EQ(KeepModuleText("module a 2\n", &store), failure);
    std::string text;
    EXPECT_EQ(FindModuleText(&store, &text), Result::kOk);
    EXPECT_EQ(text, "module a 1\n");
  }
}

TEST(StoredModuleTest, ADamagedTextIsReplaced) {
  store::MemoryStore store;
  ASSERT_EQ(KeepModuleText("module a 1\n", &store), Result::kOk);
  store.Damage(Bytes("\0module", 7));
  std::string text;
  EXPECT_EQ(FindModuleText(&store, &text), Result::kStorage);
  const uint64_t saves = store.counters().commit_groups;
  EXPECT_EQ(KeepModuleText("module a 1\n", &store), Result::kOk);
  EXPECT_EQ(store.counters().commit_groups, saves + 1);
}

TEST(StoredModuleTest, ItsKeyIsNoDocuments) {
  store::MemoryStore store;
  EXPECT_EQ(KeepModuleText("module a 1\n", &store), Result::kOk);
  int keys = 0;
  EXPECT_EQ(store.List("",
                       [&](Bytes key, uint64_t, size_t) {
                         ++keys;
                         EXPECT_EQ(store::IsSystemKey(key), true);
                         EXPECT_EQ(IsKey(key), false);
                         return true;
                       }),
            Result::kOk);
  EXPECT_EQ(keys, 1);
}

}  // namespace
}  // namespace pure::server
