#include "store/simulated/crash_enumerator.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "store/testing/print.h"

namespace pure::store {
namespace {

// A program that keeps one number durable in the classic way: a new file, synced, renamed over the
// old one, the directory synced. Each mistake leaves a step out; all must be found.
enum class Mistake { kNone, kNoFileSync, kNoDirectorySync, kAnswerBeforeSync, kWriteInPlace };

std::string Record(uint64_t value) {
  // Three sectors that must belong together.
  const std::string line = absl::StrCat(1000 + value, std::string(508, '.'));
  return line + line + line;
}

class NumberKeeper final {
 public:
  NumberKeeper(SimulatedDisk* disk, Mistake mistake)
      : disk_(disk), directory_(disk->OpenDirectory()), mistake_(mistake) {}

  void Keep(uint64_t value) {
    if (mistake_ == Mistake::kAnswerBeforeSync) disk_->Acknowledge(value);
    if (mistake_ == Mistake::kWriteInPlace && value > 1) {
      std::unique_ptr<File> file;
      EXPECT_EQ(directory_->Open("number", true, &file), IoError::kNone);
      WriteAndSync(file.get(), value);
    } else {
      std::unique_ptr<File> file;
      EXPECT_EQ(directory_->Create("number.tmp", &file), IoError::kNone);
      WriteAndSync(file.get(), value);
      EXPECT_EQ(directory_->Rename("number.tmp", "number"), IoError::kNone);
      if (mistake_ != Mistake::kNoDirectorySync) {
        EXPECT_EQ(directory_->Sync(), IoError::kNone);
      }
    }
    if (mistake_ != Mistake::kAnswerBeforeSync) disk_->Acknowledge(value);
  }

 private:
  void WriteAndSync(File* file, uint64_t value) {
    const std::string record = Record(value);
    uint64_t written_bytes = 0;
    EXPECT_EQ(file->Write(0, {Bytes(record)}, &written_bytes), IoError::kNone);
    if (mistake_ != Mistake::kNoFileSync) {
      EXPECT_EQ(file->Sync(), IoError::kNone);
    }
  }

  SimulatedDisk* const disk_;
  const std::unique_ptr<Directory> directory_;
  const Mistake mistake_;
};

DiskJournal JournalOf(Mistake mistake) {
  SimulatedDisk disk;
  NumberKeeper keeper(&disk, mistake);
  for (uint64_t value = 1; value <= 3; ++value) keeper.Keep(value);
  return disk.journal();
}

// Whether the image holds the acknowledged number or the one after it, whole.
bool IsSound(const CrashPoint& point, const DiskImage& image) {
  const std::string content = image.Content("number");
  if (content.empty() && image.FileOf("number") == 0) return point.acknowledged == 0;
  return content == Record(point.acknowledged) || content == Record(point.acknowledged + 1);
}

// The description of the first unsound image; empty when there is none.
std::string FirstUnsound(const DiskJournal& journal, const CrashOptions& options = {}) {
  std::string found;
  CrashEnumerator(journal, options).ForEach([&](const CrashPoint& point, const DiskImage& image) {
    if (!IsSound(point, image)) found = point.Describe();
    return found.empty();
  });
  return found;
}

TEST(CrashEnumeratorTest, ASoundProgramSurvivesEverything) {
  EXPECT_EQ(FirstUnsound(JournalOf(Mistake::kNone)), "");
}

TEST(CrashEnumeratorTest, EveryMistakeIsFound) {
  EXPECT_NE(FirstUnsound(JournalOf(Mistake::kNoFileSync)), "");
  EXPECT_NE(FirstUnsound(JournalOf(Mistake::kNoDirectorySync)), "");
  EXPECT_NE(FirstUnsound(JournalOf(Mistake::kAnswerBeforeSync)), "");
  EXPECT_NE(FirstUnsound(JournalOf(Mistake::kWriteInPlace)), "");
}

TEST(CrashEnumeratorTest, MissingSyncsAreFoundByPowerCutsOnly) {
  CrashOptions kills_only;
  kills_only.power_cuts = false;
  EXPECT_EQ(FirstUnsound(JournalOf(Mistake::kNoFileSync), kills_only), "");
  EXPECT_EQ(FirstUnsound(JournalOf(Mistake::kNoDirectorySync), kills_only), "");
  EXPECT_NE(FirstUnsound(JournalOf(Mistake::kWriteInPlace), kills_only), "");
}

TEST(CrashEnumeratorTest, ADescriptionNamesThePlaceAndTheSurvivors) {
  const std::string text = FirstUnsound(JournalOf(Mistake::kNoDirectorySync));
  EXPECT_EQ(text,
            "after 5 operations (mark acknowledged 1), acknowledged 1: power cut, survivors 00");
}

TEST(CrashEnumeratorTest, OneWriteOfFewSectorsGivesAllSubsets) {
  SimulatedDisk disk;
  std::unique_ptr<File> file;
  ASSERT_EQ(disk.OpenDirectory()->Create("a", &file), IoError::kNone);
  ASSERT_EQ(file->Allocate(4096), IoError::kNone);
  ASSERT_EQ(file->Sync(), IoError::kNone);
  ASSERT_EQ(disk.OpenDirectory()->Sync(), IoError::kNone);
  const DiskImage durable = disk.KillImage();

  SimulatedDisk writing(durable);
  ASSERT_EQ(writing.OpenDirectory()->Open("a", true, &file), IoError::kNone);
  const std::string bytes(4096, 'x');
  uint64_t written_bytes = 0;
  ASSERT_EQ(file->Write(0, {Bytes(bytes)}, &written_bytes), IoError::kNone);
  CrashOptions options;
  options.kills = false;
  options.torn_images = 0;
  options.garbage_images = 0;
  std::set<std::string> contents;
  const DiskJournal journal = writing.journal();
  const CrashCounts counts = CrashEnumerator(journal, options)
                                 .ForEach([&](const CrashPoint& point, const DiskImage& image) {
                                   EXPECT_TRUE(point.power_cut);
                                   contents.insert(image.Content("a"));
                                   return true;
                                 });
  EXPECT_EQ(counts.crash_points, 2u);
  EXPECT_EQ(counts.images, 1u + 256u);
  EXPECT_EQ(contents.size(), 256u);
}

TEST(CrashEnumeratorTest, ManySectorsGivePrefixesLossesAndRandomSubsets) {
  SimulatedDisk disk;
  std::unique_ptr<File> file;
  ASSERT_EQ(disk.OpenDirectory()->Create("a", &file), IoError::kNone);
  ASSERT_EQ(file->Allocate(1 << 16), IoError::kNone);
  ASSERT_EQ(file->Sync(), IoError::kNone);
  ASSERT_EQ(disk.OpenDirectory()->Sync(), IoError::kNone);
  SimulatedDisk writing(disk.KillImage());
  ASSERT_EQ(writing.OpenDirectory()->Open("a", true, &file), IoError::kNone);
  const std::string bytes(20 * kSectorBytes, 'x');
  uint64_t written_bytes = 0;
  ASSERT_EQ(file->Write(0, {Bytes(bytes)}, &written_bytes), IoError::kNone);
  std::set<std::vector<bool>> subsets;
  CrashOptions options;
  options.kills = false;
  const DiskJournal journal = writing.journal();
  CrashEnumerator(journal, options).ForEach([&](const CrashPoint& point, const DiskImage&) {
    subsets.insert(*point.survives);
    return true;
  });
  for (size_t i = 0; i <= 20; ++i) {
    std::vector<bool> prefix(20, false);
    std::fill_n(prefix.begin(), i, true);
    EXPECT_EQ(subsets.count(prefix), 1u) << "prefix " << i;
  }
  for (size_t i = 0; i < 20; ++i) {
    std::vector<bool> loss(20, true);
    loss[i] = false;
    EXPECT_EQ(subsets.count(loss), 1u) << "loss " << i;
  }
  EXPECT_GT(subsets.size(), 20u + 21u + 50u);
}

TEST(CrashEnumeratorTest, AKillMayCutAShortWriteAtEveryByte) {
  SimulatedDisk disk;
  std::unique_ptr<File> file;
  ASSERT_EQ(disk.OpenDirectory()->Create("a", &file), IoError::kNone);
  uint64_t written_bytes = 0;
  ASSERT_EQ(file->Write(0, {Bytes("octets")}, &written_bytes), IoError::kNone);
  CrashOptions options;
  options.power_cuts = false;
  std::set<std::string> contents;
  const DiskJournal journal = disk.journal();
  CrashEnumerator(journal, options).ForEach([&](const CrashPoint&, const DiskImage& image) {
    contents.insert(image.Content("a"));
    return true;
  });
  EXPECT_EQ(contents, (std::set<std::string>{"", "o", "oc", "oct", "octe", "octet", "octets"}));
}

TEST(CrashEnumeratorTest, AFailedSyncLeavesAnySubset) {
  SimulatedDisk disk;
  std::unique_ptr<File> file;
  ASSERT_EQ(disk.OpenDirectory()->Create("a", &file), IoError::kNone);
  ASSERT_EQ(disk.OpenDirectory()->Sync(), IoError::kNone);
  uint64_t written_bytes = 0;
  ASSERT_EQ(file->Write(0, {Bytes("octets")}, &written_bytes), IoError::kNone);
  disk.Inject({.kind = CallKind::kSync});
  ASSERT_EQ(file->Sync(), IoError::kInputOutput);
  ASSERT_EQ(file->Sync(), IoError::kNone);
  const DiskJournal journal = disk.journal();
  std::set<std::string> at_end;
  CrashEnumerator(journal).ForEach([&](const CrashPoint& point, const DiskImage& image) {
    const bool plain = point.power_cut && !point.torn_edges && !point.garbage;
    if (plain && point.operations_done == journal.operations.size()) {
      at_end.insert(image.Content("a"));
    }
    return true;
  });
  EXPECT_EQ(at_end, (std::set<std::string>{"", std::string(6, '\0'), "octets"}));
}

TEST(CrashEnumeratorTest, TheSameSeedGivesTheSameImagesInTheSameOrder) {
  const DiskJournal journal = JournalOf(Mistake::kNone);
  const auto run = [&journal](uint64_t seed) {
    CrashOptions options;
    options.seed = seed;
    std::string trace;
    CrashEnumerator(journal, options).ForEach([&](const CrashPoint& point, const DiskImage& image) {
      absl::StrAppend(&trace, point.Describe(), "|", image.Content("number"), "|",
                      image.Content("number.tmp"), "\n");
      return true;
    });
    return trace;
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

TEST(CrashEnumeratorTest, ShardsTogetherVisitWhatOneRunVisits) {
  const DiskJournal journal = JournalOf(Mistake::kNone);
  const auto visits = [&journal](size_t shard, size_t shards) {
    CrashOptions options;
    options.shard = shard;
    options.shards = shards;
    std::multiset<std::string> texts;
    CrashEnumerator(journal, options).ForEach([&](const CrashPoint& point, const DiskImage&) {
      texts.insert(point.Describe());
      return true;
    });
    return texts;
  };
  std::multiset<std::string> together = visits(0, 3);
  together.merge(visits(1, 3));
  together.merge(visits(2, 3));
  EXPECT_EQ(together, visits(0, 1));
}

TEST(CrashEnumeratorTest, AnImageStartsADiskThatCrashesAgain) {
  const DiskJournal journal = JournalOf(Mistake::kNone);
  uint64_t deeper_images = 0;
  CrashOptions few;
  few.random_subsets = 2;
  CrashEnumerator(journal, few).ForEach([&](const CrashPoint& point, const DiskImage& image) {
    SimulatedDisk restarted(image);
    std::unique_ptr<Directory> directory = restarted.OpenDirectory();
    const IoError removed = directory->Remove("number.tmp");
    EXPECT_TRUE(removed == IoError::kNone || removed == IoError::kNotFound);
    const DiskJournal recovery = restarted.journal();
    deeper_images += CrashEnumerator(recovery, few)
                         .ForEach([&](const CrashPoint&, const DiskImage& deeper) {
                           EXPECT_TRUE(IsSound(point, deeper)) << point.Describe();
                           return true;
                         })
                         .images;
    return true;
  });
  EXPECT_GT(deeper_images, 1000u);
}

}  // namespace
}  // namespace pure::store
