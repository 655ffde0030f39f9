// Sectors that are not what was written (T11, D8 no wrong bytes): each is zeroed, exchanged with
// another one, overwritten with another one, or put back to what it was before some later save.

#include <algorithm>
#include <cstdio>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "gtest/gtest.h"
#include "store/simulated/directory_files.h"
#include "store/simulated/disk_image.h"
#include "tests/durability/damage_judge.h"
#include "tests/durability/damage_subject.h"
#include "tests/testing/effort.h"
#include "tests/testing/sanitizers.h"
#include "tests/testing/seeded_entropy.h"

namespace pure::durability {
namespace {

constexpr size_t kSectorBytes = 512;
constexpr size_t kSectorsInBlock = 8;

enum class Rot : uint8_t { kZeroed, kExchanged, kOverwritten, kPutBack };

struct SubjectKind {
  const char* name;
  DamageSubject (*make)(LastEnd end);
  LastEnd end;
  // A normal run damages one sector of so many. Odd, so that it comes to all places in a block.
  uint64_t normal_share;
};

// One changed run of bytes.
struct Change {
  std::string file;
  uint64_t offset = 0;
  std::string bytes;
};

class SectorRotTest : public ::testing::TestWithParam<std::tuple<SubjectKind, Rot>> {
 protected:
  struct Place {
    std::string file;
    uint64_t offset = 0;
  };

  SectorRotTest() {
    for (const auto& [name, content] : files_) {
      for (uint64_t offset = 0; offset < content.size(); offset += kSectorBytes) {
        places_.push_back({name, offset});
      }
    }
  }
  // With one thread there is no deadlock to look for, which would take a fifth of the time.
  static void SetUpTestSuite() {
    absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  }

  Bytes SectorAt(const store::DirectoryFiles& files, const Place& place) const {
    const auto found = files.find(place.file);
    if (found == files.end() || place.offset >= found->second.size()) return "";
    return Bytes(found->second).substr(place.offset, kSectorBytes);
  }
  // The sector at the same place of the next block, where what it holds looks most alike, or any.
  const Place& Other(size_t at) {
    if (random_.OneIn(2) && at + kSectorsInBlock < places_.size()) {
      return places_[at + kSectorsInBlock];
    }
    return places_[random_.Below(places_.size())];
  }
  // Nothing when it would change nothing.
  void Put(const Place& place, Bytes bytes, std::vector<Change>* changes) const {
    const Bytes now = SectorAt(files_, place);
    bytes = bytes.substr(0, now.size());
    if (now.substr(0, bytes.size()) != bytes) {
      changes->push_back({place.file, place.offset, std::string(bytes)});
    }
  }

  // Every way to damage this sector; each is one run of the store.
  std::vector<std::vector<Change>> Damages(size_t at) {
    const Place& place = places_[at];
    std::vector<std::vector<Change>> all;
    if (std::get<Rot>(GetParam()) == Rot::kPutBack) {
      for (const store::DirectoryFiles& before : earlier_) {
        Put(place, SectorAt(before, place), &all.emplace_back());
      }
      return all;
    }
    std::vector<Change>* changes = &all.emplace_back();
    if (std::get<Rot>(GetParam()) == Rot::kZeroed) {
      Put(place, Bytes(kZeros, kSectorBytes), changes);
      return all;
    }
    const Place& other = Other(at);
    Put(place, SectorAt(files_, other), changes);
    if (std::get<Rot>(GetParam()) == Rot::kExchanged) {
      Put(other, SectorAt(files_, place), changes);
    }
    return all;
  }

  std::string Judge(const std::vector<Change>& changes) {
    store::DiskImage image = subject_.image;
    OlderState older = nullptr;
    for (const Change& change : changes) {
      image.Overwrite(image.FileOf(change.file), change.offset, change.bytes);
      const OlderState without =
          judge_.OlderWithout(change.file, change.offset, change.bytes.size());
      if (without != nullptr) older = without;
    }
    return judge_.Judge(image, older);
  }

  static constexpr char kZeros[kSectorBytes] = {};

  const SubjectKind kind_ = std::get<SubjectKind>(GetParam());
  const DamageSubject subject_ = kind_.make(kind_.end);
  const store::DirectoryFiles files_ = store::FilesOf(subject_.image);
  std::vector<store::DirectoryFiles> earlier_;
  std::vector<Place> places_;
  pure::testing::SeededEntropy random_{pure::testing::FirstSeed() + 41};
  DamageJudge judge_{subject_};
};

TEST_P(SectorRotTest, EveryWrongSectorIsNoticedOrHarmless) {
  if (std::get<Rot>(GetParam()) == Rot::kPutBack) {
    for (const DamageSubject::Moment& moment : subject_.moments) {
      earlier_.push_back(store::FilesOf(moment.image));
    }
  }
  const uint64_t normal_share = kind_.normal_share * (pure::testing::kAnySanitizer ? 7 : 1);
  const uint64_t share = std::min(pure::testing::Effort(), normal_share);
  uint64_t same = 0;
  uint64_t done = 0;
  for (size_t at = 0; at < places_.size(); ++at) {
    if ((at + pure::testing::FirstSeed()) % normal_share >= share) continue;
    ++done;
    for (const std::vector<Change>& changes : Damages(at)) {
      if (changes.empty()) {
        ++same;
        continue;
      }
      ASSERT_EQ(Judge(changes), "") << places_[at].file << " at " << places_[at].offset;
    }
  }
  std::printf("%llu of %llu sectors: %llu times the same bytes, %s\n",
              static_cast<unsigned long long>(done),
              static_cast<unsigned long long>(places_.size()),
              static_cast<unsigned long long>(same), judge_.Describe().c_str());
  EXPECT_GT(judge_.judged(), 0u);
}

std::string Name(const ::testing::TestParamInfo<std::tuple<SubjectKind, Rot>>& test) {
  constexpr const char* kNames[] = {"Zeroed", "Exchanged", "Overwritten", "PutBack"};
  return absl::StrCat(std::get<SubjectKind>(test.param).name,
                      kNames[static_cast<size_t>(std::get<Rot>(test.param))]);
}

INSTANTIATE_TEST_SUITE_P(
    Stores, SectorRotTest,
    ::testing::Combine(
        ::testing::Values(SubjectKind{"SmallClosed", SmallSubject, LastEnd::kClosed, 1},
                          SubjectKind{"SmallKilled", SmallSubject, LastEnd::kKilled, 1},
                          SubjectKind{"LargeClosed", LargeSubject, LastEnd::kClosed, 401},
                          SubjectKind{"LargeKilled", LargeSubject, LastEnd::kKilled, 401}),
        ::testing::Values(Rot::kZeroed, Rot::kExchanged, Rot::kOverwritten, Rot::kPutBack)),
    Name);

}  // namespace
}  // namespace pure::durability
