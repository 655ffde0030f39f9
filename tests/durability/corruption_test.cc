// Rot of single bits (T11, D8 no wrong bytes): every bit of every file of a store is flipped, and
// the store opened and read as a whole.

#include <algorithm>
#include <cstdio>
#include <string>
#include <tuple>

#include "absl/synchronization/mutex.h"
#include "gtest/gtest.h"
#include "store/files.h"
#include "store/manifest.h"
#include "tests/durability/damage_judge.h"
#include "tests/durability/damage_subject.h"
#include "tests/testing/effort.h"
#include "tests/testing/sanitizers.h"

namespace pure::durability {
namespace {

// A normal run flips one bit of so many. Opening what was killed takes twice as long.
uint64_t NormalShare(LastEnd end) {
  if (pure::testing::kAnySanitizer) return 31;
  return end == LastEnd::kClosed ? 1 : 2;
}

constexpr uint64_t kParts = 6;

class BitRotTest : public ::testing::TestWithParam<std::tuple<LastEnd, uint64_t>> {
 protected:
  // With one thread there is no deadlock to look for, which would take a fifth of the time.
  static void SetUpTestSuite() {
    absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  }

  const DamageSubject subject_ = SmallSubject(std::get<LastEnd>(GetParam()));
  DamageJudge judge_{subject_};
};

TEST_P(BitRotTest, EveryFlippedBitIsNoticedOrHarmless) {
  const uint64_t normal_share = NormalShare(subject_.end);
  const uint64_t share = std::min(pure::testing::Effort(), normal_share);
  uint64_t bits = 0;
  uint64_t number = pure::testing::FirstSeed();
  for (const std::string& name : subject_.image.Names()) {
    const uint32_t file = subject_.image.FileOf(name);
    const std::string content = subject_.image.Content(name);
    for (uint64_t bit = 0; bit < content.size() * 8; ++bit, ++number) {
      if (number % kParts != std::get<uint64_t>(GetParam())) continue;
      ++bits;
      if (number / kParts % normal_share >= share) continue;
      const char flipped = static_cast<char>(content[bit / 8] ^ (1 << bit % 8));
      store::DiskImage image = subject_.image;
      image.Overwrite(file, bit / 8, Bytes(&flipped, 1));
      ASSERT_EQ(judge_.Judge(image, judge_.OlderWithout(name, bit / 8, 1)), "")
          << name << ", byte " << bit / 8 << ", bit " << bit % 8;
    }
  }
  std::printf("%llu of %llu bits flipped: %s\n", static_cast<unsigned long long>(judge_.judged()),
              static_cast<unsigned long long>(bits), judge_.Describe().c_str());
  EXPECT_GT(judge_.count(Outcome::kRefusedAtOpen), 100u);
  EXPECT_GT(judge_.count(Outcome::kRefusedAtRead), 20u);
}

INSTANTIATE_TEST_SUITE_P(Stores, BitRotTest,
                         ::testing::Combine(::testing::Values(LastEnd::kClosed, LastEnd::kKilled),
                                            ::testing::Range(uint64_t{0}, kParts)),
                         [](const auto& test) {
                           const bool closed = std::get<LastEnd>(test.param) == LastEnd::kClosed;
                           return (closed ? "Closed" : "Killed") +
                                  std::to_string(std::get<uint64_t>(test.param));
                         });

// The subject is what the tests believe it to be.
TEST(DamageSubjectTest, TheSmallStoreHasSealedAndOpenSegmentsAnErasureAndSharedBytes) {
  for (const LastEnd end : {LastEnd::kClosed, LastEnd::kKilled}) {
    const DamageSubject subject = SmallSubject(end);
    const store::DirectoryFiles files = store::FilesOf(subject.image);
    store::Manifest manifest;
    uint32_t version = 0;
    ASSERT_EQ(DecodeManifest(files.at(store::kManifestName), &manifest, &version),
              store::Decoded::kOk);
    uint64_t sealed = 0;
    uint64_t bytes = 0;
    for (const store::ManifestSegment& segment : manifest.segments) {
      sealed += segment.sealed;
      bytes += segment.length_bytes;
    }
    EXPECT_EQ(manifest.clean, end == LastEnd::kClosed);
    EXPECT_GE(sealed, 1u);
    EXPECT_GE(manifest.segments.size() - sealed, 1u);
    EXPECT_GE(bytes, 64u << 10);
    EXPECT_NE(manifest.checkpoint.id, 0u);
    EXPECT_EQ(NewestFrameOf(files).is_sealed, end == LastEnd::kClosed);
    EXPECT_EQ(subject.newest().at("erased").present, false);
  }
}

}  // namespace
}  // namespace pure::durability
