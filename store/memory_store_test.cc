#include "store/memory_store.h"

#include <memory>

#include "gtest/gtest.h"
#include "store/testing/store_contract.h"

namespace pure::store {
namespace {

class MemoryFixture final : public StoreFixture {
 public:
  Store* store() override { return store_.get(); }
  void Destroy() override { store_.reset(); }

 private:
  std::unique_ptr<MemoryStore> store_ = std::make_unique<MemoryStore>(kSaveBytesMax);
};

std::unique_ptr<StoreFixture> NewMemoryFixture() { return std::make_unique<MemoryFixture>(); }

INSTANTIATE_TEST_SUITE_P(Memory, StoreContract, ::testing::Values(&NewMemoryFixture));

class MemoryStoreTest : public ::testing::Test {
 protected:
  Result Write(uint64_t base, Bytes value) {
    EXPECT_EQ(handle_->Stage("a", base, absl::MakeConstSpan(&value, 1)), Result::kOk);
    return handle_->Commit();
  }
  Result Find(Found* found) {
    handle_->TakeLook();
    return handle_->Find("a", found);
  }

  MemoryStore store_;
  std::unique_ptr<StoreHandle> handle_ = store_.NewHandle();
};

TEST_F(MemoryStoreTest, ASaveThatShallFailAppliesNothing) {
  store_.FailSaves(1, Result::kFull);
  EXPECT_EQ(Write(0, "x"), Result::kFull);
  Found found;
  ASSERT_EQ(Find(&found), Result::kOk);
  EXPECT_FALSE(found.present);
  EXPECT_EQ(Write(0, "x"), Result::kOk);
}

TEST_F(MemoryStoreTest, AnUncertainSavePoisonsTheStore) {
  store_.FailSaves(1, Result::kUncertain);
  EXPECT_EQ(Write(0, "x"), Result::kUncertain);
  EXPECT_EQ(store_.state(), StoreState::kPoisoned);
  EXPECT_FALSE(store_.failure().ok());
  EXPECT_EQ(Write(0, "x"), Result::kStorage);
}

TEST_F(MemoryStoreTest, ADamagedKeyIsNotShown) {
  ASSERT_EQ(Write(0, "x"), Result::kOk);
  store_.Damage("a");
  Found found;
  EXPECT_EQ(Find(&found), Result::kStorage);
  EXPECT_FALSE(found.present);
}

}  // namespace
}  // namespace pure::store
