// Compaction, merging of long lists, and the space that is kept for them.

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "store/extent_store.h"
#include "store/store.h"
#include "store/testing/simulated_store.h"

namespace pure::store {
namespace {

class CompactionTest : public SimulatedStoreTest {
 protected:
  void Work() {
    handle_->DropLook();
    while (store_->DoBackgroundWork()) {
    }
  }
  // Rewrites `keys` keys so often that all that was before is dead.
  void Churn(int saves, int keys = 4) {
    for (int i = 0; i < saves; ++i) {
      ASSERT_EQ(Write(absl::StrCat("churn", i % keys), std::string(3000, 'c')), Result::kOk);
      Work();
    }
  }
  uint64_t DiskBytes() {
    uint64_t bytes = 0;
    for (const std::string& name : disk_.Names()) bytes += disk_.Content(name).size();
    return bytes;
  }
  void ExpectSound() {
    VerifyReport report;
    ASSERT_EQ(store_->Verify(&report), absl::OkStatus());
    EXPECT_TRUE(report.damages.empty()) << report.damages[0].what;
  }
  static size_t SpansSeenBy(StoreHandle* handle, Bytes key) {
    handle->TakeLook();
    Found found;
    EXPECT_EQ(handle->Find(key, &found), Result::kOk);
    return found.value.spans().size();
  }
  size_t Spans(Bytes key) { return SpansSeenBy(handle_.get(), key); }
  // By a handle that has nothing staged.
  size_t SpansElsewhere(Bytes key) { return SpansSeenBy(store_->NewHandle().get(), key); }
  // Puts `piece` behind what is stored, sharing it.
  Result Append(Bytes key, Bytes piece) {
    handle_->TakeLook();
    Found found;
    EXPECT_EQ(handle_->FindToStage(key, &found), Result::kOk);
    std::vector<Bytes> pieces(found.value.spans().begin(), found.value.spans().end());
    pieces.push_back(piece);
    EXPECT_EQ(handle_->Stage(key, found.revision, pieces), Result::kOk);
    return handle_->Commit();
  }
};

TEST_F(CompactionTest, TheDirectoryStaysBoundedAndEveryValueStaysWithItsRevision) {
  Open();
  std::map<std::string, std::string> expected;
  for (int i = 0; i < 30; ++i) {
    const std::string key = absl::StrCat("kept", i);
    const std::string value(1000 + static_cast<size_t>(i), static_cast<char>('a' + i % 26));
    ASSERT_EQ(Write(key, value), Result::kOk);
    expected[key] = "1:" + value;
  }
  ASSERT_EQ(Write("gone", "x"), Result::kOk);
  ASSERT_EQ(handle_->StageErase("gone", 1), Result::kOk);
  ASSERT_EQ(handle_->Commit(), Result::kOk);
  uint64_t peak = 0;
  for (int i = 0; i < 600; ++i) {
    Churn(1);
    peak = std::max(peak, DiskBytes());
  }
  const StoreCounters counters = store_->counters();
  EXPECT_GT(counters.compactions, 20u);
  EXPECT_GT(counters.moved_bytes, 30 * 1000u);
  EXPECT_LT(peak, 3 * counters.live_bytes + 2 * options_.segment_bytes + 8192);
  for (int openings = 0; openings < 3; ++openings) {
    for (const auto& [key, value] : expected) EXPECT_EQ(Read(key) == value, true) << key;
    EXPECT_EQ(Read("churn0").substr(0, 5), "600:c");
    EXPECT_EQ(Read("gone"), "2:");
    ExpectSound();
    openings == 0 ? Close() : Kill();
    Open();
  }
  // An erased key goes on from its revision, though its erasure moved many times.
  ASSERT_EQ(Write("gone", "back"), Result::kOk);
  EXPECT_EQ(Read("gone"), "3:back");
}

TEST_F(CompactionTest, ALentValueOutlivesTheSegmentThatItLiesIn) {
  Open();
  const std::string value(5000, 'l');
  ASSERT_EQ(Write("lent", value), Result::kOk);
  handle_->TakeLook();
  Found found;
  ASSERT_EQ(handle_->Find("lent", &found), Result::kOk);
  Churn(60);
  EXPECT_TRUE(disk_.Names().end() != std::find(disk_.Names().begin(), disk_.Names().end(), kFirst));
  EXPECT_EQ(found.value.spans()[0] == value, true);
  found.value.Reset();
  Churn(2);
  const std::vector<std::string> names = disk_.Names();
  EXPECT_EQ(std::count(names.begin(), names.end(), kFirst), 0);
  EXPECT_EQ(Read("lent") == "1:" + value, true);
}

// Nothing else holds the segment: not the look, not a lent value, and not what is lent after it.
TEST_F(CompactionTest, AStagedValueOutlivesTheSegmentThatItSharesWith) {
  Open();
  const std::string value(5000, 'v');
  ASSERT_EQ(Write("shared", value), Result::kOk);
  ASSERT_EQ(Write("copied", value), Result::kOk);
  const std::unique_ptr<StoreHandle> other = store_->NewHandle();
  other->TakeLook();
  // Of the first nothing is written, of the second everything, as it is short.
  for (const auto& [key, bytes] : {std::pair<Bytes, size_t>("shared", 5000), {"copied", 100}}) {
    Found found;
    ASSERT_EQ(other->FindToStage(key, &found), Result::kOk);
    const std::vector<Bytes> pieces = {"new", found.value.spans()[0].substr(0, bytes)};
    ASSERT_EQ(other->Stage(key, 1, pieces), Result::kOk);
  }
  other->DropLook();
  handle_->DropLook();
  ASSERT_EQ(store_->Compact(), absl::OkStatus());
  Work();
  ASSERT_EQ(other->Commit(), Result::kOk);
  EXPECT_EQ(Read("shared") == "2:new" + value, true);
  EXPECT_EQ(Read("copied") == "2:new" + value.substr(0, 100), true);
  Churn(2);  // then it goes
  const std::vector<std::string> names = disk_.Names();
  EXPECT_EQ(std::count(names.begin(), names.end(), kFirst), 0);
  ExpectSound();
}

TEST_F(CompactionTest, AnOldLookSeesItsVersionsThroughACompaction) {
  Open();
  ASSERT_EQ(Write("a", std::string(2000, '1')), Result::kOk);
  const std::unique_ptr<StoreHandle> old = store_->NewHandle();
  old->TakeLook();
  ASSERT_EQ(Write("a", std::string(2000, '2')), Result::kOk);
  Churn(80);
  Found found;
  ASSERT_EQ(old->Find("a", &found), Result::kOk);
  EXPECT_EQ(found.revision, 1u);
  EXPECT_EQ(found.value.spans()[0] == std::string(2000, '1'), true);
}

TEST_F(CompactionTest, ADamagedValueStaysWhereItIsAndIsNeverGivenANewChecksum) {
  Open();
  ASSERT_EQ(Write("bad", std::string(3000, 'b')), Result::kOk);
  ASSERT_EQ(Write("good", std::string(3000, 'g')), Result::kOk);
  FlipBit(kFirst, OffsetOf(kFirst, std::string(3000, 'b')) + 7);
  Churn(100);
  EXPECT_EQ(Read("bad"), "storage");
  EXPECT_EQ(Read("good") == "1:" + std::string(3000, 'g'), true);
  EXPECT_EQ(store_->Compact().code(), absl::StatusCode::kDataLoss);
  Kill();
  Open();
  EXPECT_EQ(Read("bad"), "storage");
  EXPECT_EQ(store_->Compact().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(Read("good") == "1:" + std::string(3000, 'g'), true);
}

TEST_F(CompactionTest, ErasingADamagedValueFreesItsSegment) {
  Open();
  ASSERT_EQ(Write("bad", std::string(3000, 'b')), Result::kOk);
  FlipBit(kFirst, OffsetOf(kFirst, std::string(3000, 'b')) + 7);
  Churn(60);
  ASSERT_EQ(store_->Compact().code(), absl::StatusCode::kDataLoss);
  ASSERT_EQ(handle_->StageErase("bad", 1), Result::kOk);
  ASSERT_EQ(handle_->Commit(), Result::kOk);
  Work();
  const std::vector<std::string> names = disk_.Names();
  EXPECT_EQ(std::count(names.begin(), names.end(), kFirst), 0);
  EXPECT_EQ(store_->Compact(), absl::OkStatus());
}

// What moves is counted whole, also of a value that one batch has no room for: what is given for
// moving comes from the saves of others alone, so that compaction ends once these do.
TEST_F(CompactionTest, ItEndsWhereValuesAreLongerThanABatch) {
  options_.segment_bytes = options_.first_segment_bytes = 16u << 10;
  Open();
  ASSERT_EQ(Write("long", std::string(5000, 'l')), Result::kOk);
  ASSERT_EQ(Append("long", " and more"), Result::kOk);
  for (int i = 0; i < 12; ++i) {
    ASSERT_EQ(Write(absl::StrCat("churn", i % 3), std::string(3000, 'c')), Result::kOk);
    handle_->DropLook();
    int steps = 0;
    while (store_->DoBackgroundWork()) ASSERT_LT(++steps, 5000) << "after save " << i;
  }
  EXPECT_EQ(Read("long") == "2:" + std::string(5000, 'l') + " and more", true);
  ExpectSound();
}

// The first extent fits a batch, the second does not, and the third does and is damaged: none of it
// moves, and none of it is tried again.
TEST_F(CompactionTest, ItEndsAtADamagedExtentBehindOneWithoutRoom) {
  options_.segment_bytes = options_.first_segment_bytes = 32u << 10;  // batches of 4096 bytes
  Open();
  ASSERT_EQ(Write("bad", std::string(3000, 'a')), Result::kOk);
  ASSERT_EQ(Append("bad", std::string(3000, 'b')), Result::kOk);
  ASSERT_EQ(Append("bad", std::string(1000, 'd')), Result::kOk);
  FlipBit(kFirst, OffsetOf(kFirst, std::string(1000, 'd')) + 7);
  for (int i = 0; i < 40; ++i) {
    ASSERT_EQ(Write(absl::StrCat("churn", i % 4), std::string(3000, 'c')), Result::kOk);
    handle_->DropLook();
    int steps = 0;
    while (store_->DoBackgroundWork()) ASSERT_LT(++steps, 2000) << "after save " << i;
  }
  EXPECT_EQ(Read("bad"), "storage");
}

TEST_F(CompactionTest, CompactLeavesHardlyAnyDeadBytes) {
  Open();
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(Write(absl::StrCat("key", i), std::string(900, 'x')), Result::kOk);
  }
  for (int i = 0; i < 90; ++i) {
    ASSERT_EQ(handle_->StageErase(absl::StrCat("key", i), 1), Result::kOk);
  }
  ASSERT_EQ(handle_->Commit(), Result::kOk);
  handle_->DropLook();
  uint64_t done_last = 0;
  ASSERT_EQ(store_->Compact([&](uint64_t done, uint64_t) { done_last = done; }), absl::OkStatus());
  EXPECT_GT(done_last, 100u << 10);
  EXPECT_LE(store_->counters().store_bytes, options_.first_segment_bytes + (32u << 10));
  Close();
  Open();
  EXPECT_EQ(store_->counters().keys, 10u);
  EXPECT_EQ(Read("key95") == "1:" + std::string(900, 'x'), true);
  EXPECT_EQ(Read("key5"), "2:");
}

// Also when somebody else takes the last block, and when the store is closed and opened in between.
TEST_F(CompactionTest, OnAFullDiskTheSpaceOfErasedValuesComesBack) {
  Open();
  disk_.SetCapacity(400u << 10);
  int written = 0;
  while (Write(absl::StrCat("key", written), std::string(3000, 'x')) == Result::kOk) {
    ++written;
    Work();
  }
  ASSERT_GT(written, 40);
  disk_.SetCapacity(disk_.used_bytes());
  Close();
  Open();
  Work();
  EXPECT_EQ(Write("more", std::string(3000, 'x')), Result::kFull);
  // Erasing finds room, and compaction too.
  for (int i = 0; i < written; ++i) {
    if (i % 4 == 0) continue;
    ASSERT_EQ(handle_->StageErase(absl::StrCat("key", i), 1), Result::kOk);
  }
  ASSERT_EQ(handle_->Commit(), Result::kOk);
  Work();
  EXPECT_EQ(Write("more", std::string(3000, 'x')), Result::kOk);
  EXPECT_EQ(Read("key4") == "1:" + std::string(3000, 'x'), true);
}

// Each segment is twice as long as the one before: soon there is no room for the next.
TEST_F(CompactionTest, OnAFullDiskWritesGoOnInASegmentThatHasRoomThere) {
  options_.segment_bytes = 4u << 20;
  options_.first_segment_bytes = 128u << 10;
  const std::string value(20000, 'x');
  Open();
  int written = 0;
  while (store_->counters().store_bytes < 800u << 10) {
    ASSERT_EQ(Write(absl::StrCat("key", written), value), Result::kOk);
    ++written;
    Work();
  }
  disk_.SetCapacity(disk_.used_bytes());
  while (Write(absl::StrCat("key", written), value) == Result::kOk) {
    ++written;
    Work();
  }
  // Compaction begins half-way, and must not fill what is kept for the other erasures.
  for (int i = 0; i < written; ++i) {
    if (i % 4 == 0) continue;
    ASSERT_EQ(handle_->StageErase(absl::StrCat("key", i), 1), Result::kOk);
    ASSERT_EQ(handle_->Commit(), Result::kOk) << i;
    Work();
  }
  EXPECT_EQ(Write("more", value), Result::kOk);
  EXPECT_EQ(Read("key4") == "1:" + value, true);
  ExpectSound();
}

TEST_F(CompactionTest, AppendsShareAndLongListsAreMerged) {
  options_.segment_bytes = 2u << 20;
  Open();
  std::string expected(300000, 's');
  ASSERT_EQ(Write("doc", expected), Result::kOk);
  for (int i = 0; i < 700; ++i) {
    // Longer than what is copied instead of shared.
    const std::string piece(2100, static_cast<char>('a' + i % 26));
    const uint64_t before = store_->counters().written_bytes;
    ASSERT_EQ(Append("doc", piece), Result::kOk);
    EXPECT_LE(store_->counters().written_bytes - before, 16u << 10) << i;
    expected += piece;
    Work();
  }
  handle_->TakeLook();
  Found found;
  ASSERT_EQ(handle_->Find("doc", &found), Result::kOk);
  EXPECT_LT(found.value.spans().size(), 300u);
  EXPECT_EQ(found.revision, 701u);
  Close();
  Open();
  EXPECT_EQ(Read("doc") == "701:" + expected, true);
  ExpectSound();
}

TEST_F(CompactionTest, ManySmallAppendsLeaveFewExtents) {
  Open();
  std::string expected = "begin";
  ASSERT_EQ(Write("doc", expected), Result::kOk);
  for (int i = 0; i < 400; ++i) {
    ASSERT_EQ(Append("doc", "a line of some length\n"), Result::kOk);
    expected += "a line of some length\n";
  }
  EXPECT_EQ(Read("doc") == "401:" + expected, true);
  Found found;
  ASSERT_EQ(handle_->Find("doc", &found), Result::kOk);
  EXPECT_LT(found.value.spans().size(), 12u);
}

TEST_F(CompactionTest, AVeryLongListIsMergedByManySavesToTheEnd) {
  options_.segment_bytes = 2u << 20;
  Open();
  std::string expected;
  for (int i = 0; i < 700; ++i) {
    const std::string piece(2100, static_cast<char>('a' + i % 26));
    ASSERT_EQ(i == 0 ? Write("doc", piece) : Append("doc", piece), Result::kOk);
    expected += piece;
  }
  EXPECT_EQ(Spans("doc"), 700u);
  Work();
  EXPECT_LT(Spans("doc"), 40u);
  EXPECT_EQ(Read("doc") == "700:" + expected, true);
  ExpectSound();
}

// While a value is written all the time, a merge would often be undone; afterwards it is made.
TEST_F(CompactionTest, AMergeThatWasPutOffIsMadeOnceItIsQuiet) {
  options_.segment_bytes = 2u << 20;
  Open();
  const std::string piece(2100, 'p');
  const auto make = [&](Bytes key) {
    for (int i = 0; i < 270; ++i) {
      ASSERT_EQ(i == 0 ? Write(key, piece) : Append(key, piece), Result::kOk);
    }
  };
  make("first");
  Work();
  EXPECT_LT(Spans("first"), 40u);
  make("second");
  Work();
  EXPECT_EQ(Spans("second"), 270u);
  // This save was staged before the merge, and brings the long list back; it is put off again.
  handle_->TakeLook();
  Found found;
  ASSERT_EQ(handle_->FindToStage("second", &found), Result::kOk);
  std::vector<Bytes> pieces(found.value.spans().begin(), found.value.spans().end());
  pieces.push_back("end");
  ASSERT_EQ(handle_->Stage("second", found.revision, pieces), Result::kOk);
  store_->SealTail();
  while (store_->DoBackgroundWork()) {
  }
  EXPECT_LT(SpansElsewhere("second"), 40u);
  ASSERT_EQ(handle_->Commit(), Result::kOk);
  EXPECT_GE(Spans("second"), 270u);
  store_->SealTail();
  Work();
  EXPECT_LT(Spans("second"), 40u);
  EXPECT_EQ(Read("second").size(), 4 + 270 * piece.size() + 3);
  ExpectSound();
}

}  // namespace
}  // namespace pure::store
