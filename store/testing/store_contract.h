#pragma once

// The contract of the store port, as one parameterised suite that every store runs:
//
//   INSTANTIATE_TEST_SUITE_P(Memory, StoreContract, ::testing::Values(&NewMemoryFixture));
//
// The tests themselves stand in store_contract.cc.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "runtime/result.h"
#include "store/store.h"
#include "store/testing/print.h"

namespace pure::store {

// One fresh, empty store whose saves take at most kSaveBytesMax; gone with the fixture.
class StoreFixture {
 public:
  static constexpr size_t kSaveBytesMax = 256u << 10;

  virtual ~StoreFixture() = default;
  virtual Store* store() = 0;
  // Ends the store, which no handle may use any more; lent values stay.
  virtual void Destroy() = 0;
};
using NewStoreFixture = std::unique_ptr<StoreFixture> (*)();

class StoreContract : public ::testing::TestWithParam<NewStoreFixture> {
 protected:
  void SetUp() override {
    fixture_ = GetParam()();
    handle_ = store()->NewHandle();
    other_ = store()->NewHandle();
    ASSERT_NE(handle_, nullptr);
  }
  void TearDown() override {
    handle_.reset();
    other_.reset();
  }

  Store* store() { return fixture_->store(); }

  static std::string Text(const Resource& value) {
    std::string text;
    for (Bytes span : value.spans()) text.append(span);
    return text;
  }
  static std::string Pattern(size_t size, uint64_t seed) {
    std::string bytes(size, '\0');
    for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 131 + i / 257 + seed * 17);
    return bytes;
  }
  static Result Stage(StoreHandle* handle, Bytes key, uint64_t base, Bytes value) {
    return handle->Stage(key, base, absl::MakeConstSpan(&value, 1));
  }
  // One write in a save of its own. The new revision, or 0.
  static uint64_t Write(StoreHandle* handle, Bytes key, uint64_t base, Bytes value) {
    EXPECT_EQ(Stage(handle, key, base, value), Result::kOk);
    EXPECT_EQ(handle->Commit(), Result::kOk);
    EXPECT_EQ(handle->staged().size(), 1u);
    return handle->staged()[0].result == Result::kOk ? handle->staged()[0].revision : 0;
  }
  // "REVISION:VALUE", "REVISION-" for an erased key, "-" for one never written; in a new look.
  static std::string Read(StoreHandle* handle, Bytes key) {
    handle->TakeLook();
    std::string text = ReadHeld(handle, key);
    handle->DropLook();
    return text;
  }
  static std::string ReadHeld(StoreHandle* handle, Bytes key) {
    Found found;
    EXPECT_EQ(handle->Find(key, &found), Result::kOk);
    if (found.revision == 0) return found.present ? "?" : "-";
    const std::string revision = std::to_string(found.revision);
    if (!found.present) return revision + "-";
    EXPECT_EQ(found.size_bytes, found.value.size_bytes());
    return revision + ":" + Text(found.value);
  }
  std::vector<std::string> List(Bytes prefix) {
    std::vector<std::string> lines;
    EXPECT_EQ(store()->List(prefix,
                            [&](Bytes key, uint64_t revision, size_t size_bytes) {
                              lines.push_back(std::string(key) + " " + std::to_string(revision) +
                                              " " + std::to_string(size_bytes));
                              return true;
                            }),
              Result::kOk);
    return lines;
  }

  std::unique_ptr<StoreFixture> fixture_;
  std::unique_ptr<StoreHandle> handle_;
  std::unique_ptr<StoreHandle> other_;
};

}  // namespace pure::store
