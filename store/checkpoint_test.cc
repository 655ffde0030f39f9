// The checkpoint: what it saves at opening, and that nothing depends on it.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "store/checkpoint_format.h"
#include "store/extent_store.h"
#include "store/testing/simulated_store.h"

namespace pure::store {
namespace {

class CheckpointTest : public SimulatedStoreTest {
 protected:
  CheckpointTest() { options_.checkpoint_after_bytes = 64u << 10; }

  void Work() {
    handle_->DropLook();
    while (store_->DoBackgroundWork()) {
    }
  }
  // Values that stay, an erased key, and some that are replaced until segments are compacted.
  void Fill(int saves) {
    for (int i = 0; i < saves; ++i) {
      const std::string key = i % 3 == 0 ? absl::StrCat("kept", i) : absl::StrCat("churn", i % 7);
      const std::string value(2500 + static_cast<size_t>(i), static_cast<char>('a' + i % 26));
      ASSERT_EQ(Write(key, value), Result::kOk);
      expected_[key] = absl::StrCat(++revisions_[key], ":", value);
      if (i == 5) {
        ASSERT_EQ(Write("gone", "x"), Result::kOk);
        ASSERT_EQ(handle_->StageErase("gone", 1), Result::kOk);
        ASSERT_EQ(handle_->Commit(), Result::kOk);
      }
      Work();
    }
  }
  std::vector<std::string> Checkpoints() {
    std::vector<std::string> found;
    for (const std::string& name : disk_.Names()) {
      if (absl::StartsWith(name, "checkpoint-")) found.push_back(name);
    }
    return found;
  }
  void ExpectAll() {
    for (const auto& [key, value] : expected_) EXPECT_EQ(Read(key) == value, true) << key;
    EXPECT_EQ(Read("gone"), "2:");
    EXPECT_EQ(store_->counters().keys, expected_.size());
    VerifyReport report;
    ASSERT_EQ(store_->Verify(&report), absl::OkStatus());
    EXPECT_TRUE(report.damages.empty()) << report.damages[0].what;
  }

  std::map<std::string, std::string> expected_;
  std::map<std::string, int> revisions_;
};

TEST_F(CheckpointTest, ThereIsOneAndItStandsForSealedFrames) {
  Open();
  Fill(150);
  ASSERT_EQ(Checkpoints().size(), 1u);
  EXPECT_GT(store_->counters().compactions, 0u);
  ExpectAll();
  Close();
  uint64_t walked = 0;
  options_.open_progress = [&walked](uint64_t, uint64_t all) { walked = all; };
  Open();
  EXPECT_LT(walked, store_->counters().store_bytes / 2);
  ExpectAll();
  Kill();
  Open();
  ExpectAll();
  // The key that was erased goes on from its revision.
  ASSERT_EQ(Write("gone", "back"), Result::kOk);
  EXPECT_EQ(Read("gone"), "3:back");
}

TEST_F(CheckpointTest, WithoutItOrWithABadOneTheStoreOpensAllTheSame) {
  Open();
  Fill(120);
  Close();
  ASSERT_EQ(Checkpoints().size(), 1u);
  const std::string name = Checkpoints()[0];
  const uint64_t size = disk_.Content(name).size();
  ASSERT_GT(size, 1000u);
  const DiskImage image = disk_.KillImage();
  for (uint64_t at = 0; at < size; at += 7) {
    SimulatedDisk disk(image, {.keep_journal = false});
    const std::string flipped(1, static_cast<char>(disk.Content(name)[at] ^ 0x10));
    disk.Overwrite(name, at, flipped);
    ASSERT_EQ(TryOpen(&disk), absl::OkStatus()) << at;
    ExpectAll();
    handle_.reset();
    store_.reset();
    const std::vector<std::string> names = disk.Names();
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 0) << "it is given up";
  }
  FlipBit(name, size / 2);
  OpenReadOnly();
  VerifyReport report;
  ASSERT_EQ(store_->Verify(&report), absl::OkStatus());
  ASSERT_EQ(report.damages.size(), 1u);
  EXPECT_NE(report.damages[0].what.find(name), std::string::npos) << report.damages[0].what;
  Kill();
  ASSERT_EQ(disk_.OpenDirectory()->Remove(name), IoError::kNone);
  Open();
  ExpectAll();
}

TEST_F(CheckpointTest, OneThatWasNotFinishedIsRemovedAtTheNextOpening) {
  Open();
  Fill(40);
  int steps = 0;
  while (Checkpoints().empty() && steps < 400) {
    ASSERT_EQ(Write("more", std::string(3000, 'm')), Result::kOk);
    expected_["more"] = absl::StrCat(++revisions_["more"], ":", std::string(3000, 'm'));
    (void)store_->DoBackgroundWork();
    ++steps;
  }
  ASSERT_EQ(Checkpoints().size(), 1u);
  Kill();
  Open();
  ExpectAll();
  EXPECT_LE(Checkpoints().size(), 1u);
}

TEST(CheckpointFormatTest, NamesComeBack) {
  char buffer[kCheckpointNameBytes];
  EXPECT_EQ(CheckpointName(0x2a, buffer), "checkpoint-000000000000002a");
  uint64_t id = 0;
  EXPECT_TRUE(ParseCheckpointName("checkpoint-000000000000002a", &id));
  EXPECT_EQ(id, 0x2au);
  for (Bytes name : {"checkpoint-", "checkpoint-000000000000002A", "seg-000000000000002a",
                     "checkpoint-000000000000002a0"}) {
    EXPECT_FALSE(ParseCheckpointName(name, &id)) << name;
  }
}

TEST(CheckpointFormatTest, AVersionWithARevisionThatNobodyGivesIsRefused) {
  for (const auto& [revision, sound] : {std::pair<uint64_t, bool>(0, false),
                                        {1, true},
                                        {kRevisionMax, true},
                                        {kRevisionMax + 1, false}}) {
    std::vector<char> body;
    AppendCheckpointVersion({.key = "x", .revision = revision}, {}, &body);
    const Bytes bytes(body.data(), body.size());
    const CheckpointBlockHeader header{static_cast<uint32_t>(body.size()), 1, Crc(bytes)};
    EXPECT_EQ(ReadCheckpointBody(header, bytes,
                                 [](const CheckpointVersion&, absl::Span<const CheckpointExtent>) {
                                   return true;
                                 }),
              sound)
        << revision;
  }
}

}  // namespace
}  // namespace pure::store
