#include "modules/rows/saved_rows.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "store/memory_store.h"

namespace pure::modules {
namespace {

class SavedRowsTest : public ::testing::Test {
 protected:
  void Save(const Rows& before, const Rows& now) {
    handle_->TakeLook();
    ASSERT_EQ(StageRows("list", before, now, handle_.get()), Result::kOk);
    ASSERT_EQ(handle_->Commit(), Result::kOk);
    for (const store::Staged& staged : handle_->staged()) ASSERT_EQ(staged.result, Result::kOk);
  }
  Result Load(Rows* rows) {
    handle_->TakeLook();
    damaged_.clear();
    return LoadRows("list", &store_, handle_.get(), rows, &damaged_);
  }

  store::MemoryStore store_;
  std::unique_ptr<store::StoreHandle> handle_ = store_.NewHandle();
  std::string damaged_;
};

TEST_F(SavedRowsTest, WhatWasSavedIsLoaded) {
  Rows rows;
  ASSERT_EQ(Load(&rows), Result::kOk);
  EXPECT_EQ(rows.size(), 0u);
  Rows saved;
  for (int i = 0; i < 300; ++i) {
    rows.Push(absl::StrCat("row ", i, std::string(50, 'x')));
    if (i % 7 == 0) {
      Save(saved, rows);
      saved = rows;
    }
    if (i % 5 == 0) rows.Remove(rows.size() / 2);
  }
  Save(saved, rows);
  Rows loaded;
  ASSERT_EQ(Load(&loaded), Result::kOk);
  ASSERT_EQ(loaded.size(), rows.size());
  for (size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(loaded.At(i), rows.At(i));
  Save(rows, Rows());
  ASSERT_EQ(Load(&loaded), Result::kOk);
  EXPECT_EQ(loaded.size(), 0u);
}

TEST_F(SavedRowsTest, WhatIsNoChunkIsDamage) {
  Rows rows;
  rows.Push("row");
  Save(Rows(), rows);
  const std::string key = absl::StrCat(Bytes("\0slist\0", 7), Bytes("\x80\0\0\0\0\0\0\0", 8));
  store::Found found;
  handle_->TakeLook();
  ASSERT_EQ(handle_->Peek(key, &found), Result::kOk);
  ASSERT_TRUE(found.present);
  const Bytes bad = "no block";
  ASSERT_EQ(handle_->Stage(key, found.revision, {&bad, 1}), Result::kOk);
  ASSERT_EQ(handle_->Commit(), Result::kOk);
  EXPECT_EQ(Load(&rows), Result::kStorage);
  EXPECT_EQ(damaged_, key);
}

TEST_F(SavedRowsTest, AKeyThatIsNoneOfAChunkIsDamage) {
  Rows rows;
  rows.Push("row");
  Save(Rows(), rows);
  const std::string key = absl::StrCat(Bytes("\0slist\0", 7), "short");
  const Bytes value = "x";
  handle_->TakeLook();
  ASSERT_EQ(handle_->Stage(key, 0, {&value, 1}), Result::kOk);
  ASSERT_EQ(handle_->Commit(), Result::kOk);
  EXPECT_EQ(Load(&rows), Result::kStorage);
  EXPECT_EQ(damaged_, key);
}

}  // namespace
}  // namespace pure::modules
