#include "store/testing/store_contract.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "runtime/result.h"
#include "store/store.h"

namespace pure::store {
namespace {

using Lines = std::vector<std::string>;

TEST_P(StoreContract, ANewStoreHoldsNothing) {
  EXPECT_EQ(Read(handle_.get(), "a"), "-");
  EXPECT_EQ(List(""), Lines());
  EXPECT_EQ(store()->state(), StoreState::kOpen);
  EXPECT_TRUE(store()->failure().ok());
  EXPECT_EQ(store()->counters().keys, 0u);
}

TEST_P(StoreContract, RevisionsStartAtOneAndGrowByOneForEachKey) {
  EXPECT_EQ(Write(handle_.get(), "a", 0, "first"), 1u);
  EXPECT_EQ(Write(handle_.get(), "b", 0, "other"), 1u);
  EXPECT_EQ(Write(handle_.get(), "a", 1, "second"), 2u);
  EXPECT_EQ(Write(handle_.get(), "a", 2, "third"), 3u);
  EXPECT_EQ(Read(handle_.get(), "a"), "3:third");
  EXPECT_EQ(Read(other_.get(), "b"), "1:other");
}

TEST_P(StoreContract, AnErasureTakesARevisionThatIsNotUsedAgain) {
  ASSERT_EQ(Write(handle_.get(), "a", 0, "x"), 1u);
  ASSERT_EQ(handle_->StageErase("a", 1), Result::kOk);
  ASSERT_EQ(handle_->Commit(), Result::kOk);
  EXPECT_EQ(handle_->staged()[0].revision, 2u);
  EXPECT_EQ(Read(handle_.get(), "a"), "2-");
  EXPECT_EQ(Write(handle_.get(), "a", 0, "y"), 0u);  // as if it had never been written
  EXPECT_EQ(handle_->staged()[0].result, Result::kConflict);
  EXPECT_EQ(handle_->staged()[0].revision, 2u);
  EXPECT_EQ(Write(handle_.get(), "a", 2, "z"), 3u);
  EXPECT_EQ(Read(handle_.get(), "a"), "3:z");
}

TEST_P(StoreContract, AKeyThatNeverWasCanBeErased) {
  ASSERT_EQ(handle_->StageErase("a", 0), Result::kOk);
  ASSERT_EQ(handle_->Commit(), Result::kOk);
  EXPECT_EQ(Read(handle_.get(), "a"), "1-");
}

TEST_P(StoreContract, AStaleBaseRevisionLosesToTheNewerCommit) {
  ASSERT_EQ(Write(handle_.get(), "a", 0, "x"), 1u);
  ASSERT_EQ(Stage(other_.get(), "a", 0, "late"), Result::kOk);
  ASSERT_EQ(Stage(other_.get(), "b", 0, "fine"), Result::kOk);
  ASSERT_EQ(other_->Commit(), Result::kOk);
  ASSERT_EQ(other_->staged().size(), 2u);
  EXPECT_EQ(other_->staged()[0].result, Result::kConflict);
  EXPECT_EQ(other_->staged()[0].revision, 1u);
  EXPECT_EQ(other_->staged()[1].result, Result::kOk);
  EXPECT_EQ(other_->staged()[1].revision, 1u);
  EXPECT_EQ(Read(handle_.get(), "a"), "1:x");
  EXPECT_EQ(Read(handle_.get(), "b"), "1:fine");
}

TEST_P(StoreContract, ABaseFromTheFutureLosesToo) {
  EXPECT_EQ(Write(handle_.get(), "a", 7, "x"), 0u);
  EXPECT_EQ(handle_->staged()[0].result, Result::kConflict);
  EXPECT_EQ(handle_->staged()[0].revision, 0u);
  EXPECT_EQ(Read(handle_.get(), "a"), "-");
}

TEST_P(StoreContract, ACommitOfLosersOnlyMakesNoSave) {
  ASSERT_EQ(Write(handle_.get(), "a", 0, "x"), 1u);
  const uint64_t saves = store()->counters().commit_groups;
  EXPECT_EQ(Write(other_.get(), "a", 0, "y"), 0u);
  EXPECT_EQ(store()->counters().commit_groups, saves);
}

TEST_P(StoreContract, ACommitOfNothingIsOkWithoutASave) {
  EXPECT_EQ(handle_->Commit(), Result::kOk);
  EXPECT_TRUE(handle_->staged().empty());
  EXPECT_EQ(store()->counters().commit_groups, 0u);
}

TEST_P(StoreContract, TheSecondWriteOfAKeyInOneSaveLoses) {
  ASSERT_EQ(Stage(handle_.get(), "a", 0, "x"), Result::kOk);
  ASSERT_EQ(Stage(handle_.get(), "a", 0, "y"), Result::kOk);
  ASSERT_EQ(handle_->Commit(), Result::kOk);
  EXPECT_EQ(handle_->staged()[0].result, Result::kOk);
  EXPECT_EQ(handle_->staged()[1].result, Result::kConflict);
  EXPECT_EQ(Read(handle_.get(), "a"), "1:x");
}

TEST_P(StoreContract, ALookShowsOneCommitUntilItIsTakenAnew) {
  ASSERT_EQ(Write(handle_.get(), "a", 0, "old"), 1u);
  other_->TakeLook();
  ASSERT_EQ(Write(handle_.get(), "a", 1, "new"), 2u);
  ASSERT_EQ(Write(handle_.get(), "b", 0, "b"), 1u);
  ASSERT_EQ(handle_->StageErase("a", 2), Result::kOk);
  ASSERT_EQ(handle_->Commit(), Result::kOk);
  EXPECT_EQ(ReadHeld(other_.get(), "a"), "1:old");
  EXPECT_EQ(ReadHeld(other_.get(), "b"), "-");
  other_->TakeLook();
  EXPECT_EQ(ReadHeld(other_.get(), "a"), "3-");
  EXPECT_EQ(ReadHeld(other_.get(), "b"), "1:b");
}

TEST_P(StoreContract, ALookDoesNotShowWhatIsStaged) {
  handle_->TakeLook();
  ASSERT_EQ(Stage(handle_.get(), "a", 0, "x"), Result::kOk);
  EXPECT_EQ(ReadHeld(handle_.get(), "a"), "-");
  ASSERT_EQ(handle_->Commit(), Result::kOk);
  EXPECT_EQ(ReadHeld(handle_.get(), "a"), "-");  // the held look is from before
  EXPECT_EQ(Read(handle_.get(), "a"), "1:x");
}

TEST_P(StoreContract, SeveralLooksEachKeepTheirOwnVersion) {
  std::vector<std::unique_ptr<StoreHandle>> readers;
  for (uint64_t i = 0; i < 5; ++i) {
    ASSERT_EQ(Write(handle_.get(), "a", i, std::to_string(i)), i + 1);
    readers.push_back(store()->NewHandle());
    readers.back()->TakeLook();
  }
  readers[2]->DropLook();
  ASSERT_EQ(Write(handle_.get(), "a", 5, "5"), 6u);
  for (uint64_t i : {0, 1, 3, 4}) {
    EXPECT_EQ(ReadHeld(readers[i].get(), "a"), std::to_string(i + 1) + ":" + std::to_string(i));
  }
}

TEST_P(StoreContract, PeekTellsRevisionAndSizeWithoutTheValue) {
  ASSERT_EQ(Write(handle_.get(), "a", 0, "12345"), 1u);
  handle_->TakeLook();
  Found found;
  ASSERT_EQ(handle_->Peek("a", &found), Result::kOk);
  EXPECT_TRUE(found.present);
  EXPECT_EQ(found.revision, 1u);
  EXPECT_EQ(found.size_bytes, 5u);
  EXPECT_EQ(found.value.size_bytes(), 0u);
  ASSERT_EQ(handle_->Peek("b", &found), Result::kOk);
  EXPECT_FALSE(found.present);
  EXPECT_EQ(found.revision, 0u);
}

TEST_P(StoreContract, AValueIsTheConcatenationOfItsPieces) {
  const std::string large = Pattern(10000, 1);
  const std::string larger = Pattern(50000, 2);
  const Bytes pieces[] = {"begin ", "", large, " middle ", larger, larger, " end"};
  ASSERT_EQ(handle_->Stage("a", 0, pieces), Result::kOk);
  ASSERT_EQ(handle_->Commit(), Result::kOk);
  EXPECT_EQ(Read(handle_.get(), "a"), "1:begin " + large + " middle " + larger + larger + " end");
}

TEST_P(StoreContract, AnEmptyValueIsPresent) {
  ASSERT_EQ(handle_->Stage("a", 0, {}), Result::kOk);
  ASSERT_EQ(handle_->Commit(), Result::kOk);
  EXPECT_EQ(Read(handle_.get(), "a"), "1:");
  EXPECT_EQ(List(""), Lines({"a 1 0"}));
}

TEST_P(StoreContract, ValuesOfManySizesComeBackByteForByte) {
  const std::vector<size_t> sizes = {1,    2,    511,  512,  2047, 2048, 2049,  3900,  3960,
                                     4000, 4095, 4096, 4097, 8191, 8192, 65535, 65536, 100000};
  for (size_t size : sizes) {
    const std::string key = "k" + std::to_string(size);
    ASSERT_EQ(Write(handle_.get(), key, 0, Pattern(size, size)), 1u);
  }
  for (size_t size : sizes) {
    EXPECT_EQ(Read(other_.get(), "k" + std::to_string(size)), "1:" + Pattern(size, size)) << size;
  }
}

TEST_P(StoreContract, KeysAreOctetsOfAnyValue) {
  const std::string longest(255, '\xff');
  const std::string nul("a\0b", 3);
  ASSERT_EQ(Write(handle_.get(), longest, 0, "1"), 1u);
  ASSERT_EQ(Write(handle_.get(), nul, 0, "2"), 1u);
  ASSERT_EQ(Write(handle_.get(), "a", 0, "3"), 1u);
  EXPECT_EQ(Read(handle_.get(), longest), "1:1");
  EXPECT_EQ(Read(handle_.get(), nul), "1:2");
  EXPECT_EQ(List(""), Lines({"a 1 1", nul + " 1 1", longest + " 1 1"}));
}

TEST_P(StoreContract, KeysAndPieceListsAreFreeAfterStaging) {
  {
    std::string key = "key";
    std::vector<Bytes> pieces = {"a", "b"};
    ASSERT_EQ(handle_->Stage(key, 0, pieces), Result::kOk);
    key.assign("xxx");
    pieces.assign(2, "y");
  }
  ASSERT_EQ(handle_->Commit(), Result::kOk);
  EXPECT_EQ(Read(handle_.get(), "key"), "1:ab");
}

TEST_P(StoreContract, ASaveTakesNoMoreThanItsLimit) {
  const std::string half = Pattern(StoreFixture::kSaveBytesMax / 2, 1);
  EXPECT_EQ(handle_->stage_bytes_left(), StoreFixture::kSaveBytesMax);
  ASSERT_EQ(Stage(handle_.get(), "a", 0, half), Result::kOk);
  EXPECT_EQ(handle_->stage_bytes_left(), StoreFixture::kSaveBytesMax - half.size());
  EXPECT_EQ(Stage(handle_.get(), "b", 0, half + "1"), Result::kLimit);
  ASSERT_EQ(Stage(handle_.get(), "b", 0, half), Result::kOk);
  EXPECT_EQ(handle_->stage_bytes_left(), 0u);
  EXPECT_EQ(Stage(handle_.get(), "c", 0, "1"), Result::kLimit);
  ASSERT_EQ(handle_->Commit(), Result::kOk);
  ASSERT_EQ(handle_->staged().size(), 2u);
  EXPECT_EQ(handle_->stage_bytes_left(), StoreFixture::kSaveBytesMax);
  EXPECT_EQ(Read(handle_.get(), "b"), "1:" + half);
  EXPECT_EQ(Read(handle_.get(), "c"), "-");
}

TEST_P(StoreContract, DiscardForgetsWhatIsStaged) {
  ASSERT_EQ(Stage(handle_.get(), "a", 0, "x"), Result::kOk);
  handle_->Discard();
  EXPECT_EQ(handle_->stage_bytes_left(), StoreFixture::kSaveBytesMax);
  ASSERT_EQ(handle_->Commit(), Result::kOk);
  EXPECT_EQ(Read(handle_.get(), "a"), "-");
}

TEST_P(StoreContract, ALentValueOutlivesLookHandleRewriteAndStore) {
  const std::string value = Pattern(30000, 3);
  ASSERT_EQ(Write(handle_.get(), "a", 0, value), 1u);
  other_->TakeLook();
  Found found;
  ASSERT_EQ(other_->Find("a", &found), Result::kOk);
  other_->DropLook();
  for (uint64_t i = 1; i < 20; ++i) {
    ASSERT_EQ(Write(handle_.get(), "a", i, Pattern(30000, 100 + i)), i + 1);
  }
  EXPECT_EQ(Text(found.value), value);
  handle_.reset();
  other_.reset();
  fixture_->Destroy();
  EXPECT_EQ(Text(found.value), value);
}

TEST_P(StoreContract, ListGoesInByteOrderFromAPrefixUntilToldToStop) {
  for (const char* key : {"b", "a2", "a1", "\xc3\xa9", "a", "c", "B"}) {
    ASSERT_EQ(Write(handle_.get(), key, 0, key), 1u);
  }
  ASSERT_EQ(handle_->StageErase("b", 1), Result::kOk);
  ASSERT_EQ(handle_->Commit(), Result::kOk);
  EXPECT_EQ(List(""), Lines({"B 1 1", "a 1 1", "a1 1 2", "a2 1 2", "c 1 1", "\xc3\xa9 1 2"}));
  EXPECT_EQ(List("a"), Lines({"a 1 1", "a1 1 2", "a2 1 2"}));
  EXPECT_EQ(List("b"), Lines());
  int visits = 0;
  EXPECT_EQ(store()->List("",
                          [&](Bytes, uint64_t, size_t) {
                            ++visits;
                            return visits < 2;
                          }),
            Result::kOk);
  EXPECT_EQ(visits, 2);
}

TEST_P(StoreContract, CountersTellKeysAndLiveBytes) {
  ASSERT_EQ(Write(handle_.get(), "a", 0, "12345"), 1u);
  ASSERT_EQ(Write(handle_.get(), "b", 0, "123"), 1u);
  ASSERT_EQ(Write(handle_.get(), "a", 1, "1"), 2u);
  EXPECT_EQ(store()->counters().keys, 2u);
  EXPECT_EQ(store()->counters().live_bytes, 4u);
  ASSERT_EQ(handle_->StageErase("b", 1), Result::kOk);
  ASSERT_EQ(handle_->Commit(), Result::kOk);
  EXPECT_EQ(store()->counters().keys, 1u);
  EXPECT_EQ(store()->counters().live_bytes, 1u);
  EXPECT_EQ(store()->counters().commit_groups, 4u);
}

TEST_P(StoreContract, ThreadsThatCountTogetherLoseNoStep) {
  constexpr int kThreads = 4;
  constexpr int kSteps = 150;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      const std::unique_ptr<StoreHandle> handle = store()->NewHandle();
      const std::string own = "own" + std::to_string(t);
      for (int step = 0; step < kSteps;) {
        handle->TakeLook();
        Found shared;
        EXPECT_EQ(handle->Find("shared", &shared), Result::kOk);
        const std::string value = std::to_string(shared.revision + 1);
        EXPECT_EQ(Stage(handle.get(), "shared", shared.revision, value), Result::kOk);
        EXPECT_EQ(Stage(handle.get(), own, static_cast<uint64_t>(step), value), Result::kOk);
        EXPECT_EQ(handle->Commit(), Result::kOk);
        EXPECT_EQ(handle->staged()[1].result, Result::kOk);
        ++step;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  handle_->TakeLook();
  Found shared;
  ASSERT_EQ(handle_->Find("shared", &shared), Result::kOk);
  EXPECT_EQ(Text(shared.value), std::to_string(shared.revision));
  EXPECT_GE(shared.revision, uint64_t{kSteps});
  EXPECT_LE(shared.revision, uint64_t{kThreads} * kSteps);
  for (int t = 0; t < kThreads; ++t) {
    Found found;
    ASSERT_EQ(handle_->Peek("own" + std::to_string(t), &found), Result::kOk);
    EXPECT_EQ(found.revision, uint64_t{kSteps});
  }
  const StoreCounters counters = store()->counters();
  EXPECT_EQ(counters.commit_groups + counters.grouped_commits, uint64_t{kThreads} * kSteps);
}

TEST_P(StoreContract, ReadersSeeBothKeysOfASaveOrNeither) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> readers;
  for (int r = 0; r < 2; ++r) {
    readers.emplace_back([&] {
      const std::unique_ptr<StoreHandle> reader = store()->NewHandle();
      uint64_t newest = 0;
      while (!stop.load()) {
        reader->TakeLook();
        Found left, right;
        EXPECT_EQ(reader->Find("left", &left), Result::kOk);
        EXPECT_EQ(reader->Find("right", &right), Result::kOk);
        EXPECT_EQ(left.revision, right.revision);
        EXPECT_EQ(Text(left.value), Text(right.value));
        EXPECT_GE(left.revision, newest);
        newest = left.revision;
      }
    });
  }
  for (uint64_t i = 0; i < 300; ++i) {
    const std::string value = Pattern(100 + i, i);
    ASSERT_EQ(Stage(handle_.get(), "left", i, value), Result::kOk);
    ASSERT_EQ(Stage(handle_.get(), "right", i, value), Result::kOk);
    ASSERT_EQ(handle_->Commit(), Result::kOk);
  }
  stop.store(true);
  for (std::thread& reader : readers) reader.join();
}

TEST_P(StoreContract, CloseIsIdempotentAndEndsWriting) {
  ASSERT_EQ(Write(handle_.get(), "a", 0, "x"), 1u);
  EXPECT_TRUE(store()->Close().ok());
  EXPECT_TRUE(store()->Close().ok());
  EXPECT_EQ(store()->state(), StoreState::kClosed);
  EXPECT_EQ(Stage(handle_.get(), "a", 1, "y"), Result::kOk);
  EXPECT_EQ(handle_->Commit(), Result::kStorage);
  EXPECT_EQ(Read(handle_.get(), "a"), "1:x");
}

}  // namespace
}  // namespace pure::store
