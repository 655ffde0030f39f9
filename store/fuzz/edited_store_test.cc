#include "store/fuzz/edited_store.h"

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "store/extent_store.h"
#include "store/fuzz/fuzz_options.h"
#include "store/fuzz/reseal.h"
#include "store/manifest.h"
#include "store/simulated/directory_files.h"
#include "store/simulated/simulated_disk.h"
#include "tests/testing/seeded_entropy.h"

namespace pure::store {
namespace {

constexpr char kFirst[] = "seg-0000000000000001";

absl::Status TryOpen(const DirectoryFiles& files) {
  SimulatedDisk disk(ImageOf(files));
  pure::testing::SeededEntropy entropy(3);
  return ExtentStore::Open(disk.OpenDirectory(), FuzzOptions(&entropy)).status();
}

// With one document, "long".
DirectoryFiles ClosedStore() {
  SimulatedDisk disk;
  pure::testing::SeededEntropy entropy(3);
  auto store = ExtentStore::Open(disk.OpenDirectory(), FuzzOptions(&entropy));
  EXPECT_EQ(store.status(), absl::OkStatus());
  const std::string value(3000, 'v');
  std::unique_ptr<StoreHandle> handle = (*store)->NewHandle();
  EXPECT_EQ(handle->Stage("long", 0, {Bytes(value)}), Result::kOk);
  EXPECT_EQ(handle->Commit(), Result::kOk);
  handle.reset();
  EXPECT_EQ((*store)->Close(), absl::OkStatus());
  return FilesOf(disk.KillImage());
}

TEST(EditedStoreTest, EveryBaseStoreOpensAndItsSealsAreThoseThatTheStoreMakes) {
  for (size_t number = 0; number < kBaseStores; ++number) {
    EXPECT_EQ(TryOpen(BaseStore(number)), absl::OkStatus()) << number;
    DirectoryFiles sealed = BaseStore(number);
    Reseal(&sealed);
    EXPECT_EQ(sealed == BaseStore(number), true) << number;
  }
}

TEST(EditedStoreTest, AnInputWithoutEditsLeavesTheBaseAsItIs) {
  EXPECT_EQ(EditedStore("\1\1") == BaseStore(1), true);
  EXPECT_EQ(EditedStore(std::string("\2\0", 2)) == BaseStore(2), true);
  EXPECT_EQ(EditedStore("").size(), 0u);
}

TEST(EditedStoreTest, AFlippedBitIsDamageUnlessTheSealsAreMadeAnew) {
  // Bit 0 of octet 33 of the manifest: its epoch. It is the file after LOCK.
  const std::string edit("\2\1\0\0\0\41\0\0", 8);
  const DirectoryFiles damaged = EditedStore(std::string("\1\0", 2) + edit);
  EXPECT_NE(damaged.at(kManifestName), BaseStore(1).at(kManifestName));
  EXPECT_EQ(TryOpen(damaged).code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(TryOpen(EditedStore("\1\1" + edit)), absl::OkStatus());
}

TEST(EditedStoreTest, SealsOfAFrameAreMadeAnewWithTheChainBehindIt) {
  DirectoryFiles files = ClosedStore();
  // The name of a key in the first frame, behind its header, its entry and one extent.
  std::string& segment = files.at(kFirst);
  ASSERT_EQ(segment.substr(4096 + 96 + 16 + 32, 4), "long");
  segment[4096 + 96 + 16 + 32] = 'L';
  EXPECT_EQ(
      TryOpen(files).message(),
      "the store is damaged: seg-0000000000000001 at offset 4096: the entries of a saved frame "
      "do not hold");
  Reseal(&files);
  // Every frame holds, but the manifest still names the old chain.
  const std::string message(TryOpen(files).message());
  EXPECT_NE(message.find("the last frame is not the one that the manifest names"),
            std::string::npos)
      << message;
}

}  // namespace
}  // namespace pure::store
