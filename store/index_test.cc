#include "store/index.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "store/segment.h"
#include "store/testing/print.h"
#include "tests/testing/allocation_counter.h"

namespace pure::store {
namespace {

class IndexTest : public ::testing::Test {
 protected:
  ~IndexTest() override {
    for (auto& look : looks_) index_.RemoveSlot(look.get());
  }
  LookSlot* NewLook() {
    looks_.push_back(std::make_unique<LookSlot>());
    index_.AddSlot(looks_.back().get());
    return looks_.back().get();
  }
  // One commit of one version; `length` marks it.
  void Commit(Bytes key, uint64_t base, uint32_t length, EntryKind kind = EntryKind::kWrite) {
    IndexRecord* record = nullptr;
    uint64_t current = 0;
    const uint64_t seq = index_.published() + 1;
    const StoredExtent extent{.length = length};
    const size_t count = kind == EntryKind::kWrite ? 1 : 0;
    ASSERT_EQ(Add(key, base, seq, &record, &current, kind), Result::kOk);
    Index::Place(record, nullptr, {&extent, count});
    index_.Publish({&record, 1}, seq);
  }
  Result Add(Bytes key, uint64_t base, uint64_t seq, IndexRecord** record, uint64_t* current,
             EntryKind kind = EntryKind::kWrite) {
    const uint32_t count = kind == EntryKind::kWrite ? 1 : 0;
    return index_.Add(key, {.base = base, .seq = seq, .kind = kind, .extent_count = count}, record,
                      current);
  }
  // Whether the version counts.
  bool Load(Bytes key, const Index::LoadedVersion& version) {
    bool replaced = false;
    EXPECT_EQ(index_.Load(key, version, &replaced), Result::kOk);
    return replaced;
  }
  // "REVISION:LENGTH", "REVISION-", or "-".
  std::string See(Bytes key, const LookSlot& look) {
    Version version;
    uint32_t length = 0;
    const bool known =
        index_.Find(key, look, &version, [&](absl::Span<const StoredExtent> extents) {
          for (const StoredExtent& extent : extents) length += extent.length;
        });
    if (!known) return "-";
    EXPECT_EQ(version.size_bytes, length);
    const std::string revision = std::to_string(version.revision);
    return version.present ? revision + ":" + std::to_string(length) : revision + "-";
  }

  const SegmentHold home_{new Segment({}, nullptr, nullptr)};
  Index index_;
  std::vector<std::unique_ptr<LookSlot>> looks_;
};

TEST_F(IndexTest, EachLookSeesItsCommit) {
  std::vector<LookSlot*> looks;
  for (uint32_t i = 0; i < 10; ++i) {
    looks.push_back(NewLook());
    index_.TakeLook(looks.back());
    Commit("a", i, 100 + i);
  }
  EXPECT_EQ(See("a", *looks[0]), "-");
  for (uint32_t i = 1; i < 10; ++i) {
    EXPECT_EQ(See("a", *looks[i]), std::to_string(i) + ":" + std::to_string(99 + i));
  }
}

TEST_F(IndexTest, AVersionUnderWayIsNotSeenAndCanBeWithdrawn) {
  Commit("a", 0, 1);
  LookSlot* look = NewLook();
  IndexRecord* replaced = nullptr;
  IndexRecord* fresh = nullptr;
  uint64_t current = 0;
  ASSERT_EQ(Add("a", 1, 2, &replaced, &current), Result::kOk);
  ASSERT_EQ(Add("b", 0, 2, &fresh, &current), Result::kOk);
  EXPECT_EQ(Add("a", 1, 2, &fresh, &current), Result::kConflict);
  EXPECT_EQ(current, 2u);
  index_.TakeLook(look);
  EXPECT_EQ(See("a", *look), "1:1");
  EXPECT_EQ(See("b", *look), "-");
  index_.Withdraw(fresh);
  index_.Withdraw(replaced);
  Commit("a", 1, 7);
  Commit("b", 0, 8);
  index_.TakeLook(look);
  EXPECT_EQ(See("a", *look), "2:7");
  EXPECT_EQ(See("b", *look), "1:8");
}

TEST_F(IndexTest, TheLastRevisionIsNotFollowedByAnotherButMayMove) {
  ASSERT_TRUE(Load("a", {.revision = kRevisionMax, .seq = 1, .home = home_.get()}));
  IndexRecord* record = nullptr;
  uint64_t current = 0;
  EXPECT_EQ(Add("a", kRevisionMax, 2, &record, &current), Result::kConflict);
  EXPECT_EQ(current, kRevisionMax);
  ASSERT_EQ(index_.Add("a", {.base = kRevisionMax, .moves = true, .seq = 2}, &record, &current),
            Result::kOk);
  index_.Withdraw(record);
}

TEST_F(IndexTest, VersionsThatNoLookSeesTakeNoMemory) {
  LookSlot* look = NewLook();
  index_.TakeLook(look);
  Commit("a", 0, 1);
  const pure::testing::AllocationCounter counter;
  for (uint32_t i = 1; i <= 1000; ++i) {
    index_.TakeLook(look);
    Commit("a", i, i);
  }
  // One record each; everything else stays where it is.
  EXPECT_LE(counter.allocations(), 1020u);
  EXPECT_EQ(index_.totals().keys, 1u);
  EXPECT_EQ(index_.totals().live_bytes, 1000u);
}

TEST_F(IndexTest, TotalsCountPresentAndReplacedBytes) {
  Commit("a", 0, 10);
  Commit("b", 0, 20);
  Commit("a", 1, 5);
  Commit("b", 1, 0, EntryKind::kErase);
  EXPECT_EQ(index_.totals().keys, 1u);
  EXPECT_EQ(index_.totals().live_bytes, 5u);
}

TEST_F(IndexTest, SystemKeysAreNotCounted) {
  Commit(Bytes("\0text", 5), 0, 10);
  Commit("a", 0, 20);
  EXPECT_EQ(index_.totals().keys, 1u);
  EXPECT_EQ(index_.totals().live_bytes, 30u);
}

TEST_F(IndexTest, AMovedVersionKeepsItsRevisionAndIsSeenByOldLooksAsItWas) {
  Commit("a", 0, 10);
  LookSlot* look = NewLook();
  index_.TakeLook(look);
  IndexRecord* moved = nullptr;
  uint64_t current = 0;
  ASSERT_EQ(
      index_.Add("a", {.base = 1, .moves = true, .seq = 2, .extent_count = 2}, &moved, &current),
      Result::kOk);
  const StoredExtent extents[] = {{.length = 4}, {.length = 6}};
  Index::Place(moved, nullptr, extents);
  index_.Publish({&moved, 1}, 2);
  EXPECT_EQ(See("a", *look), "1:10");
  index_.TakeLook(look);
  EXPECT_EQ(See("a", *look), "1:10");
  EXPECT_EQ(index_.totals().live_bytes, 10u);
}

TEST_F(IndexTest, LoadingKeepsTheHighestRevisionInAnyOrder) {
  const StoredExtent extent{.segment = home_.get(), .length = 3};
  EXPECT_TRUE(Load("a", {.revision = 4, .seq = 1, .home = home_.get(), .extents = {}}));
  EXPECT_FALSE(Load("a", {.revision = 3, .seq = 2, .home = home_.get(), .extents = {&extent, 1}}));
  EXPECT_FALSE(Load("a", {.revision = 4, .seq = 2, .home = home_.get(), .extents = {&extent, 1}}));
  EXPECT_TRUE(Load("a", {.revision = 5, .seq = 2, .kind = EntryKind::kErase, .home = home_.get()}));
  index_.SetPublished(2);
  LookSlot* look = NewLook();
  index_.TakeLook(look);
  EXPECT_EQ(See("a", *look), "5-");
}

// A compaction leaves the old entry, which names a segment that is gone, and a new one.
TEST_F(IndexTest, LoadingPrefersOfOneRevisionTheEntryWhoseSegmentsAreThere) {
  const StoredExtent gone{.length = 3};
  EXPECT_TRUE(Load("a", {.revision = 4, .seq = 1, .home = home_.get(), .extents = {&gone, 1}}));
  EXPECT_TRUE(Load("a", {.revision = 4, .seq = 2, .home = home_.get(), .extents = {}}));
  EXPECT_FALSE(Load("a", {.revision = 4, .seq = 3, .home = home_.get(), .extents = {&gone, 1}}));
  // Its entry may be gone as well.
  EXPECT_TRUE(Load("b", {.revision = 1, .seq = 1, .kind = EntryKind::kErase}));
  EXPECT_TRUE(Load("b", {.revision = 1, .seq = 2, .kind = EntryKind::kErase, .home = home_.get()}));
}

TEST_F(IndexTest, VersionsHoldTheirSegmentsAndCountIntoTheirLiveBytes) {
  const StoredExtent extent{.segment = home_.get(), .length = 300};
  EXPECT_TRUE(Load("a", {.revision = 1, .seq = 1, .home = home_.get(), .extents = {&extent, 1}}));
  EXPECT_FALSE(home_->HeldOnce());
  EXPECT_EQ(home_->live_bytes(), 300 + EntryBytes(1, 1));
  EXPECT_TRUE(Load("a", {.revision = 2, .seq = 2, .kind = EntryKind::kErase, .home = home_.get()}));
  EXPECT_EQ(home_->live_bytes(), EntryBytes(1, 0));
  index_.Clear();
  EXPECT_EQ(home_->live_bytes(), 0u);
  EXPECT_TRUE(home_->HeldOnce());
}

TEST_F(IndexTest, AKeyOfSixteenBytesTakesAtMost130Bytes) {
  if (!pure::testing::AllocationCounter::counts_malloc()) {
    GTEST_SKIP() << "a sanitizer's tables are larger";
  }
  constexpr size_t kKeys = 100000;
  const pure::testing::AllocationCounter counter;
  size_t record_bytes = 0;
  for (size_t i = 0; i < kKeys; ++i) {
    std::string key = "key-" + std::to_string(100000000000 + i);
    ASSERT_EQ(key.size(), 16u);
    const StoredExtent extent{.length = 100};
    ASSERT_TRUE(Load(key, {.revision = 1, .seq = i + 1, .extents = {&extent, 1}}));
    // A record of 80 bytes, with the allocator's own 8 rounded up to 16.
    record_bytes += 96;
  }
  // The tables double, so half of what they ever asked for is at most what they keep.
  const size_t test_keys = kKeys * 17;  // the strings above
  const size_t tables = counter.bytes() - kKeys * 88 - test_keys;
  EXPECT_LE((record_bytes + tables / 2) / kKeys, 130u);
  EXPECT_LE(index_.totals().memory_bytes / kKeys, 130u);
  EXPECT_GE(index_.totals().memory_bytes / kKeys, 100u);
}

TEST_F(IndexTest, ReadersAndCommitterAgreeUnderLoad) {
  std::atomic<bool> stop{false};
  std::vector<LookSlot*> slots = {NewLook(), NewLook()};
  std::vector<std::thread> readers;
  for (LookSlot* look : slots) {
    readers.emplace_back([&, look] {
      while (!stop.load()) {
        index_.TakeLook(look);
        const std::string a = See("a", *look);
        EXPECT_EQ(See("a", *look), a);
        if (a != "-") {
          EXPECT_EQ(a.substr(0, a.find(':')), a.substr(a.find(':') + 1));
        }
        Index::DropLook(look);
      }
    });
  }
  for (uint32_t i = 0; i < 20000; ++i) Commit("a", i, i + 1);
  stop.store(true);
  for (std::thread& reader : readers) reader.join();
}

}  // namespace
}  // namespace pure::store
