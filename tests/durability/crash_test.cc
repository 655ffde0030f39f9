// Crash enumeration over the commit path (D1 durable, D2 atomic, D3 no invention, D5 prefix, D7
// stable reads, D11 recovery, D13 orphans, D14 isolation, D15 order): the store is opened on what
// every crash may leave.

#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "store/extent_store.h"
#include "store/simulated/crash_enumerator.h"
#include "store/simulated/simulated_disk.h"
#include "store/simulated/trace_checks.h"
#include "tests/durability/store_history.h"
#include "tests/durability/store_workload.h"
#include "tests/testing/effort.h"
#include "tests/testing/sanitizers.h"
#include "tests/testing/seeded_entropy.h"

namespace pure::durability {
namespace {

using store::CrashCounts;
using store::CrashEnumerator;
using store::CrashOptions;
using store::CrashPoint;
using store::DiskImage;
using store::DiskJournal;
using store::SimulatedDisk;

// The newest save that was tried before each operation.
std::vector<uint64_t> TriedBefore(const DiskJournal& journal, uint64_t start) {
  std::vector<uint64_t> tried(1, start);
  for (const store::DiskOperation& operation : journal.operations) {
    const bool mark = operation.kind == store::CallKind::kMark && operation.name == kTriedMark;
    tried.push_back(mark ? std::max(tried.back(), operation.size_bytes) : tried.back());
  }
  return tried;
}

// Opens a store on an image, and finds which save it shows. Empty: all is well.
std::string OpenAndMatch(SimulatedDisk* disk, const StoreHistory& history, uint64_t lowest,
                         uint64_t highest, uint64_t* save) {
  pure::testing::SeededEntropy entropy(77);
  auto opened = store::ExtentStore::Open(disk->OpenDirectory(), StoreOptions({}, &entropy));
  if (!opened.ok()) return absl::StrCat("it does not open: ", opened.status().message());
  const std::string problem = history.Match(opened->get(), lowest, highest, save);
  if (problem.empty()) disk->Acknowledge(*save);
  return problem;
}

// After opening, the store takes writes.
std::string WriteOnce(SimulatedDisk* disk) {
  pure::testing::SeededEntropy entropy(78);
  auto opened = store::ExtentStore::Open(disk->OpenDirectory(), StoreOptions({}, &entropy));
  if (!opened.ok()) return absl::StrCat("it does not open again: ", opened.status().message());
  if ((*opened)->NewHandle() == nullptr) return "no handle";
  const std::unique_ptr<store::StoreHandle> handle = (*opened)->NewHandle();
  const Bytes value = "value";
  if (handle->Stage("new", 0, absl::MakeConstSpan(&value, 1)) != Result::kOk ||
      handle->Commit() != Result::kOk || handle->staged()[0].result != Result::kOk) {
    return "it takes no write";
  }
  store::VerifyReport report;
  (void)(*opened)->Verify(&report);
  return report.damages.empty() ? "" : absl::StrCat("damaged: ", report.damages[0].what);
}

DiskJournal RunWorkload(const WorkloadOptions& options, StoreHistory* history) {
  SimulatedDisk disk;
  StoreWorkload workload(&disk, history, options);
  workload.Run();
  EXPECT_EQ(workload.breach(), "");
  EXPECT_TRUE(workload.open_status().ok()) << workload.open_status();
  EXPECT_EQ(workload.refused_saves(), 0);
  return disk.journal();
}

class CrashTest : public ::testing::TestWithParam<uint64_t> {};

TEST_P(CrashTest, EveryCrashOfTheCommitPathLeavesAPrefixWithAllThatWasAcknowledged) {
  StoreHistory history;
  const DiskJournal journal = RunWorkload({.seed = GetParam(), .saves = 60}, &history);
  const std::vector<uint64_t> tried = TriedBefore(journal, 0);
  const CrashOptions options{.seed = GetParam()};
  uint64_t visits = 0;
  const CrashCounts counts = CrashEnumerator(journal, options)
                                 .ForEach([&](const CrashPoint& point, const DiskImage& image) {
                                   SimulatedDisk disk(image, {.keep_journal = false});
                                   uint64_t save = 0;
                                   std::string problem =
                                       OpenAndMatch(&disk, history, point.acknowledged,
                                                    tried[point.operations_done], &save);
                                   if (problem.empty() && ++visits % 16 == 0)
                                     problem = WriteOnce(&disk);
                                   EXPECT_EQ(problem, "") << point.Describe();
                                   return problem.empty();
                                 });
  std::printf("%llu crash points, %llu disk states\n",
              static_cast<unsigned long long>(counts.crash_points),
              static_cast<unsigned long long>(counts.images));
  EXPECT_GT(counts.images, 5000u);
}

// Kills leave the page cache, where bytes stand that no sync covered. What the store shows after
// recovery must be on the disk: a power cut at any moment of the recovery, and after it, is
// survived as well.
TEST_P(CrashTest, ACrashInsideTheRecoveryAndAfterItLosesNothingThatWasShown) {
  StoreHistory history;
  const DiskJournal journal =
      RunWorkload({.seed = GetParam(), .saves = 8, .close_every = 100, .crash_every = 5}, &history);
  const std::vector<uint64_t> tried = TriedBefore(journal, 0);
  const CrashOptions outer{.kill_cuts_max = 3,
                           .exhaustive_changes = 1,
                           .prefixes_max = 2,
                           .single_losses_max = 2,
                           .random_subsets = 2,
                           .torn_images = 1,
                           .seed = GetParam()};
  CrashOptions inner = outer;
  inner.kill_cuts_max = 1;
  inner.garbage_images = 0;
  uint64_t states = 0;
  bool well = true;
  (void)CrashEnumerator(journal, outer)
      .ForEach([&](const CrashPoint& point, const DiskImage& image) {
        SimulatedDisk disk(image);
        const uint64_t highest = tried[point.operations_done];
        uint64_t shown = 0;
        std::string problem = OpenAndMatch(&disk, history, point.acknowledged, highest, &shown);
        EXPECT_EQ(problem, "") << point.Describe();
        if (!problem.empty()) return false;
        const DiskJournal recovery = disk.journal();
        states += CrashEnumerator(recovery, inner)
                      .ForEach([&](const CrashPoint& again, const DiskImage& second) {
                        SimulatedDisk second_disk(second, {.keep_journal = false});
                        uint64_t save = 0;
                        problem = OpenAndMatch(&second_disk, history,
                                               std::max(point.acknowledged, again.acknowledged),
                                               highest, &save);
                        EXPECT_EQ(problem, "") << point.Describe() << "\nthen " << again.Describe();
                        well = problem.empty();
                        return well;
                      })
                      .images;
        return well;
      });
  std::printf("%llu disk states\n", static_cast<unsigned long long>(states));
  EXPECT_GT(states, 1000u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, CrashTest,
                         ::testing::Range(pure::testing::FirstSeed() + 1,
                                          pure::testing::FirstSeed() + 1 +
                                              (pure::testing::kAnySanitizer ? 1 : 4) *
                                                  pure::testing::Effort()));

// What the enumeration above is worth: its workloads compact, make checkpoints and prove their
// tails.
TEST(WorkloadTest, DoesAllThatAStoreDoes) {
  uint64_t compactions = 0;
  std::set<std::string> created;
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    SimulatedDisk disk;
    StoreHistory history;
    StoreWorkload workload(&disk, &history, {.seed = seed, .saves = 60});
    workload.Run();
    compactions += workload.compactions();
    for (const store::DiskOperation& operation : disk.journal().operations) {
      if (operation.kind == store::CallKind::kCreate) created.insert(operation.name.substr(0, 4));
    }
  }
  EXPECT_GT(compactions, 8u);
  EXPECT_EQ(created, (std::set<std::string>{"LOCK", "MANI", "chec", "seg-"}));
}

TEST(TraceTest, NoWriteTouchesABlockThatHoldsAcknowledgedBytesAndEachSyncComesFirst) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    SimulatedDisk disk;
    StoreHistory history;
    StoreWorkload workload(&disk, &history, {.seed = seed, .saves = 40, .finish_background = true});
    workload.Run();
    ASSERT_EQ(workload.breach(), "");
    EXPECT_EQ(absl::StrJoin(store::IsolationBreaches(disk.journal()), "\n"), "") << seed;
    EXPECT_EQ(absl::StrJoin(store::OrderBreaches(disk.journal()), "\n"), "") << seed;
  }
}

}  // namespace
}  // namespace pure::durability
