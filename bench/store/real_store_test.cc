#include "bench/store/real_store.h"

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "runtime/bytes.h"
#include "runtime/result.h"
#include "store/posix/temporary_directory.h"
#include "store/store.h"

namespace pure::bench {
namespace {

class RealStoreTest : public ::testing::Test {
 protected:
  void MakeWithOneKey(bool close) {
    absl::StatusOr<std::unique_ptr<RealStore>> real = RealStore::Make(path_, {});
    ASSERT_EQ(real.status(), absl::OkStatus());
    const std::unique_ptr<store::StoreHandle> handle = (*real)->store()->NewHandle();
    const Bytes value = "value";
    ASSERT_EQ(handle->Stage("key", 0, absl::MakeConstSpan(&value, 1)), Result::kOk);
    ASSERT_EQ(handle->Commit(), Result::kOk);
    if (!close) return;
    ASSERT_EQ((*real)->Close(), absl::OkStatus());
  }

  store::TemporaryDirectory directory_;
  const std::string path_ = directory_.Path("store");
};

TEST_F(RealStoreTest, WhatIsClosedOpensWithoutARepair) {
  MakeWithOneKey(true);
  const absl::StatusOr<std::unique_ptr<RealStore>> real = RealStore::Open(path_, {});
  ASSERT_EQ(real.status(), absl::OkStatus());
  EXPECT_EQ((*real)->store()->counters().keys, 1u);
  EXPECT_EQ((*real)->store()->repaired_bytes(), 0u);
}

TEST_F(RealStoreTest, WhatIsNotClosedOpensWithARepair) {
  MakeWithOneKey(false);
  const absl::StatusOr<std::unique_ptr<RealStore>> real = RealStore::Open(path_, {});
  ASSERT_EQ(real.status(), absl::OkStatus());
  EXPECT_EQ((*real)->store()->counters().keys, 1u);
  EXPECT_GT((*real)->store()->repaired_bytes(), 0u);
}

TEST_F(RealStoreTest, AStoreWithKeysIsNotMadeAnew) {
  MakeWithOneKey(true);
  EXPECT_EQ(RealStore::Make(path_, {}).status().code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace pure::bench
