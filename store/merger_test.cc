// Merging of long lists of extents: it ends, at any size of value, and nothing waits for it.

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "store/extent_store.h"
#include "store/simulated/simulated_disk.h"
#include "store/store.h"
#include "store/testing/simulated_store.h"

namespace pure::store {
namespace {

class MergerTest : public SimulatedStoreTest {
 protected:
  // More than Merger::kLongList.
  static constexpr uint64_t kPieces = 320;

  // Makes a value of about this size, in saves that are not too long, with three bytes behind each
  // of kPieces parts.
  void MakeLongList(Bytes key, uint64_t size_bytes) {
    const uint64_t save_bytes = std::min<uint64_t>(size_bytes, 32u << 20);
    for (uint64_t at = 0; at < size_bytes; at += save_bytes) {
      const std::string fresh(save_bytes, static_cast<char>('a' + at / save_bytes % 26));
      Change(key, [&fresh](std::vector<Bytes>* pieces) { pieces->push_back(fresh); });
    }
    Change(key, [size_bytes](std::vector<Bytes>* pieces) {
      std::vector<Bytes> sprinkled;
      const uint64_t step = size_bytes / kPieces;
      for (Bytes piece : *pieces) {
        for (size_t at = 0; at < piece.size(); at += step) {
          sprinkled.push_back(piece.substr(at, step));
          sprinkled.push_back("abc");
        }
      }
      *pieces = std::move(sprinkled);
    });
  }
  // Saves what `change` makes of the pieces of a stored value.
  template <typename Changer>
  void Change(Bytes key, Changer change) {
    handle_->TakeLook();
    Found found;
    ASSERT_EQ(handle_->FindToStage(key, &found), Result::kOk);
    std::vector<Bytes> pieces(found.value.spans().begin(), found.value.spans().end());
    change(&pieces);
    ASSERT_EQ(handle_->Stage(key, found.revision, pieces), Result::kOk);
    ASSERT_EQ(handle_->Commit(), Result::kOk);
    handle_->DropLook();
  }
  size_t Extents(Bytes key) {
    handle_->TakeLook();
    Found found;
    EXPECT_EQ(handle_->FindToStage(key, &found), Result::kOk);
    handle_->DropLook();
    return found.value.spans().size();
  }
};

class MergerSizeTest : public MergerTest, public ::testing::WithParamInterface<uint64_t> {};

INSTANTIATE_TEST_SUITE_P(KiB, MergerSizeTest,
                         ::testing::Values(64, 700, 1024, 4096, 8192, 10500, 12288, 16000, 20000,
                                           24000, 32000, 32768, 48000, 65536, 256u << 10));

// With the options as they are by default. Each byte is merged once; what is left of the segment
// that it lay in is compacted.
TEST_P(MergerSizeTest, ItEndsAndMovesNoMoreThanThriceTheValue) {
  const uint64_t size_bytes = GetParam() << 10;
  options_ = ExtentStoreOptions{.entropy = &entropy_};
  SimulatedDisk disk(SimulatedDiskOptions{.keep_journal = false});
  ASSERT_EQ(TryOpen(&disk), absl::OkStatus());
  ASSERT_NO_FATAL_FAILURE(MakeLongList("doc", size_bytes));
  const size_t extents_before = Extents("doc");
  const std::string before = Read("doc");
  handle_->DropLook();
  store_->SealTail();
  int steps = 0;
  while (store_->DoBackgroundWork()) ASSERT_LT(++steps, 2000);
  EXPECT_LE(store_->counters().moved_bytes, 3 * size_bytes);
  EXPECT_LE(Extents("doc"), extents_before);
  EXPECT_EQ(Read("doc") == before, true);
  Kill();
}

TEST_F(MergerTest, ACheckpointDoesNotWaitForIt) {
  options_.segment_bytes = 1u << 20;
  options_.checkpoint_after_bytes = 64u << 10;
  Open();
  ASSERT_NO_FATAL_FAILURE(MakeLongList("doc", kPieces * 2100));
  const auto has_checkpoint = [this] {
    const std::vector<std::string> names = disk_.Names();
    return std::any_of(names.begin(), names.end(), [](const std::string& name) {
      return absl::StartsWith(name, "checkpoint-");
    });
  };
  while (!has_checkpoint()) ASSERT_TRUE(store_->DoBackgroundWork());
  EXPECT_EQ(store_->counters().moved_bytes, 0u);
  while (store_->DoBackgroundWork()) {
  }
  EXPECT_GT(store_->counters().moved_bytes, kPieces * 2100 / 2);
  EXPECT_LT(Extents("doc"), kPieces / 8);
}

}  // namespace
}  // namespace pure::store
