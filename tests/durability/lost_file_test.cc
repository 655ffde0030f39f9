// Files that are not there, come from an earlier moment, or bear each other's name (T11, D8 no
// wrong bytes): what an operator, or a file system that was repaired, may leave.

#include <cstdint>
#include <cstdio>
#include <iterator>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "store/format.h"
#include "store/manifest.h"
#include "store/simulated/directory_files.h"
#include "tests/durability/damage_judge.h"
#include "tests/durability/damage_subject.h"

namespace pure::durability {
namespace {

class LostFileTest : public ::testing::TestWithParam<LastEnd> {
 protected:
  void ExpectKept(const store::DirectoryFiles& files, OlderState older, const std::string& what) {
    if (files == files_) return;
    EXPECT_EQ(judge_.Judge(store::ImageOf(files), older), "") << what;
  }
  // The exception for unsealed frames, for whole files: the segment with the open end of the log,
  // as it was at an earlier moment, is what a kill at that moment leaves, unless the manifest names
  // later frames in it as saved (then it is refused).
  bool HoldsTheOpenEnd(const std::string& file) const {
    const NewestFrame newest = NewestFrameOf(files_);
    return file == newest.file && !newest.is_sealed;
  }
  // Without it there is no store; what else lies there may be made anew from these.
  static bool IsNeeded(const std::string& name) {
    uint64_t id = 0;
    return name == store::kManifestName || store::ParseSegmentName(name, &id);
  }
  void ExpectRefusals(const char* what, uint64_t at_least) const {
    std::printf("%s: %s\n", what, judge_.Describe().c_str());
    EXPECT_GE(judge_.count(Outcome::kRefusedAtOpen), at_least);
  }

  const DamageSubject subject_ = SmallSubject(GetParam());
  const store::DirectoryFiles files_ = store::FilesOf(subject_.image);
  DamageJudge judge_{subject_};
};

TEST_P(LostFileTest, AFileThatIsMissingIsNoticedOrHarmless) {
  uint64_t needed = 0;
  for (const auto& [name, content] : files_) {
    store::DirectoryFiles files = files_;
    files.erase(name);
    ExpectKept(files, nullptr, name);
    needed += IsNeeded(name);
  }
  ASSERT_GE(needed, 5u);
  ExpectRefusals("missing", needed);
}

TEST_P(LostFileTest, AFileThatIsEmptyOrCutIsNoticedOrHarmless) {
  uint64_t needed = 0;
  for (const auto& [name, content] : files_) {
    for (const size_t part : {0, 1, 2, 3}) {
      store::DirectoryFiles files = files_;
      files[name].resize(content.size() * part / 4);
      ExpectKept(files, nullptr, absl::StrCat(name, " cut to ", files[name].size(), " bytes"));
      needed += IsNeeded(name);
    }
  }
  ExpectRefusals("cut", needed);
}

TEST_P(LostFileTest, AFileOfAnEarlierMomentIsNoticedOrHarmless) {
  for (size_t moment = 0; moment + 1 < subject_.moments.size(); ++moment) {
    const store::DirectoryFiles before = store::FilesOf(subject_.moments[moment].image);
    for (const auto& [name, content] : before) {
      store::DirectoryFiles files = files_;
      files[name] = content;
      const OlderState older = HoldsTheOpenEnd(name) ? &subject_.moments[moment].state : nullptr;
      ExpectKept(files, older, absl::StrCat(name, " as after save ", moment + 1));
    }
  }
  ExpectRefusals("of an earlier moment", 5);
}

TEST_P(LostFileTest, TwoFilesWithEachOthersNamesAreNoticedOrHarmless) {
  uint64_t needed = 0;
  for (auto one = files_.begin(); one != files_.end(); ++one) {
    for (auto other = std::next(one); other != files_.end(); ++other) {
      store::DirectoryFiles files = files_;
      std::swap(files[one->first], files[other->first]);
      ExpectKept(files, nullptr, absl::StrCat(one->first, " and ", other->first));
      needed += IsNeeded(one->first) || IsNeeded(other->first);
    }
  }
  ExpectRefusals("exchanged", needed);
}

INSTANTIATE_TEST_SUITE_P(Stores, LostFileTest,
                         ::testing::Values(LastEnd::kClosed, LastEnd::kKilled),
                         [](const auto& test) {
                           return test.param == LastEnd::kClosed ? "Closed" : "Killed";
                         });

}  // namespace
}  // namespace pure::durability
