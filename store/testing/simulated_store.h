#pragma once

// SimulatedStoreTest: an extent store on a simulated disk, for tests of the store itself.

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "runtime/bytes.h"
#include "runtime/result.h"
#include "store/extent_store.h"
#include "store/files.h"
#include "store/simulated/simulated_disk.h"
#include "store/store.h"
#include "store/testing/print.h"
#include "tests/testing/seeded_entropy.h"

namespace pure::store {

// The name of a store's first segment.
inline constexpr char kFirst[] = "seg-0000000000000001";

class SimulatedStoreTest : public ::testing::Test {
 protected:
  absl::Status TryOpen(SimulatedDisk* disk, bool read_only = false) {
    ExtentStoreOptions options = options_;
    options.read_only = read_only;
    auto opened = ExtentStore::Open(disk->OpenDirectory(), options);
    if (opened.ok()) {
      store_ = *std::move(opened);
      handle_ = store_->NewHandle();
    }
    return opened.status();
  }
  void Open() { ASSERT_EQ(TryOpen(&disk_), absl::OkStatus()); }
  void OpenReadOnly() { ASSERT_EQ(TryOpen(&disk_, true), absl::OkStatus()); }
  void Kill() {
    handle_.reset();
    store_.reset();
  }
  void Close() {
    EXPECT_EQ(store_->Close(), absl::OkStatus());
    Kill();
  }
  Result Write(Bytes key, Bytes value) {
    handle_->TakeLook();
    Found found;
    EXPECT_EQ(handle_->Peek(key, &found), Result::kOk);
    EXPECT_EQ(handle_->Stage(key, found.revision, absl::MakeConstSpan(&value, 1)), Result::kOk);
    return handle_->Commit();
  }
  std::string Read(Bytes key) {
    handle_->TakeLook();
    Found found;
    const Result result = handle_->Find(key, &found);
    if (result != Result::kOk) return std::string(ResultName(result));
    std::string text = absl::StrCat(found.revision, ":");
    for (Bytes span : found.value.spans()) text.append(span);
    return text;
  }
  // Everything that the disk holds but the lock.
  static std::map<std::string, std::string> Files(const SimulatedDisk& disk) {
    std::map<std::string, std::string> files;
    for (const std::string& name : disk.Names()) {
      if (name != kLockFileName) files[name] = disk.Content(name);
    }
    return files;
  }
  // The place of a value's bytes in a file.
  uint64_t OffsetOf(const std::string& name, const std::string& value) {
    const size_t offset = disk_.Content(name).find(value);
    EXPECT_NE(offset, std::string::npos);
    return offset;
  }
  void FlipBit(const std::string& name, uint64_t offset) {
    const std::string flipped(1, static_cast<char>(disk_.Content(name)[offset] ^ 0x10));
    disk_.Overwrite(name, offset, flipped);
  }
  // Opening must be refused with this code, and may not change a byte.
  void ExpectRefused(absl::StatusCode code, const std::string& words) {
    const auto before = Files(disk_);
    const absl::Status status = TryOpen(&disk_);
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_NE(std::string(status.message()).find(words), std::string::npos) << status;
    EXPECT_EQ(Files(disk_) == before, true);
  }

  pure::testing::SeededEntropy entropy_{7};
  ExtentStoreOptions options_{.segment_bytes = 64u << 10,
                              .first_segment_bytes = 32u << 10,
                              .save_bytes_max = 1u << 20,
                              .entropy = &entropy_};
  SimulatedDisk disk_;
  std::unique_ptr<ExtentStore> store_;
  std::unique_ptr<StoreHandle> handle_;
};

}  // namespace pure::store
