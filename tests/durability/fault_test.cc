// Error injection (D4 burst failure, D7 stable reads, D9 sticky, D10 full disk): call k of the disk
// fails, once or from then on, for every k of a workload and every error; afterwards the process
// ends, or the power fails, and the store is opened again.

#include <cstdio>
#include <memory>
#include <ostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "store/extent_store.h"
#include "store/simulated/simulated_disk.h"
#include "store/simulated/trace_checks.h"
#include "tests/durability/store_history.h"
#include "tests/durability/store_workload.h"
#include "tests/testing/seeded_entropy.h"

namespace pure::durability {
namespace {

using store::DiskFault;
using store::DiskImage;
using store::IoError;
using store::SimulatedDisk;

const WorkloadOptions kOptions = {.seed = 11, .saves = 24, .close_every = 7, .crash_every = 10};

// Opens what is left, and then what a power cut leaves of that: what was shown once stays. Empty:
// all is well.
std::string CheckImage(const DiskImage& image, const StoreHistory& history, uint64_t lowest) {
  uint64_t highest = history.saves();
  DiskImage left = image;
  for (const char* when : {"opened: ", "after a power cut: "}) {
    SimulatedDisk disk(left, {.keep_journal = false});
    pure::testing::SeededEntropy entropy(9);
    auto opened = store::ExtentStore::Open(disk.OpenDirectory(), StoreOptions(kOptions, &entropy));
    if (!opened.ok()) return absl::StrCat(when, opened.status().message());
    uint64_t save = 0;
    const std::string problem = history.Match(opened->get(), lowest, highest, &save);
    if (!problem.empty()) return absl::StrCat(when, problem);
    lowest = highest = save;
    left = disk.LoseUnsyncedImage();
  }
  return "";
}

struct Counts {
  uint64_t runs = 0;
  uint64_t poisoned = 0;
  uint64_t refused = 0;
  uint64_t not_opened = 0;
};

// Runs the workload with the fault. Empty: every promise was kept.
std::string RunWith(const DiskFault& fault, Counts* counts, bool* struck) {
  SimulatedDisk disk;
  StoreHistory history;
  StoreWorkload workload(&disk, &history, kOptions);
  disk.Inject(fault);
  workload.Run();
  *struck = disk.faults_struck() > 0;
  if (!workload.breach().empty()) return workload.breach();
  ++counts->runs;
  counts->refused += workload.refused_saves() > 0;
  counts->not_opened += !workload.open_status().ok();
  const bool poisoned =
      workload.store() != nullptr && workload.store()->state() == store::StoreState::kPoisoned;
  // A write that was cut while a segment or a manifest was prepared is no save: the file is given
  // up, the store goes on.
  if (poisoned || fault.written_bytes == 0) {
    const std::string sticky = absl::StrJoin(StickyBreaches(disk.journal()), "\n");
    if (!sticky.empty()) return sticky;
  }
  const std::string isolation = absl::StrJoin(IsolationBreaches(disk.journal()), "\n");
  if (!isolation.empty()) return isolation;
  disk.ClearFaults();
  if (workload.store() != nullptr) {
    counts->poisoned += poisoned;
    const uint64_t before = workload.acknowledged();
    if (workload.store()->state() != store::StoreState::kClosed) workload.SaveOnce();
    if (!workload.breach().empty()) return workload.breach();
    if (!poisoned && workload.store()->state() == store::StoreState::kOpen &&
        workload.acknowledged() == before) {
      return "the fault is over, but the store takes no write (D10)";
    }
  }
  const uint64_t lowest = workload.acknowledged();
  workload.Kill();
  std::string problem = CheckImage(disk.KillImage(), history, lowest);
  if (!problem.empty()) return absl::StrCat("kill: ", problem);
  problem = CheckImage(disk.LoseUnsyncedImage(), history, lowest);
  if (!problem.empty()) return absl::StrCat("power cut, all lost: ", problem);
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    problem = CheckImage(disk.PowerCutImage(seed), history, lowest);
    if (!problem.empty()) return absl::StrCat("power cut ", seed, ": ", problem);
  }
  return "";
}

struct FaultCase {
  const char* name;
  IoError error;
  bool for_ever;
  uint64_t written_bytes;
};

void PrintTo(const FaultCase& fault, std::ostream* out) { *out << fault.name; }

class FaultTest : public ::testing::TestWithParam<FaultCase> {};

TEST_P(FaultTest, AnyCallMayFailAndNoPromiseIsBroken) {
  Counts counts;
  bool struck = true;
  for (uint64_t call = 0; struck; ++call) {
    const DiskFault fault{.skip = call,
                          .error = GetParam().error,
                          .for_ever = GetParam().for_ever,
                          .written_bytes = GetParam().written_bytes};
    const std::string problem = RunWith(fault, &counts, &struck);
    ASSERT_EQ(problem, "") << "call " << call << ", " << GetParam().name;
  }
  std::printf("%llu runs: %llu poisoned, %llu with refused saves, %llu not opened\n",
              static_cast<unsigned long long>(counts.runs),
              static_cast<unsigned long long>(counts.poisoned),
              static_cast<unsigned long long>(counts.refused),
              static_cast<unsigned long long>(counts.not_opened));
  EXPECT_GT(counts.runs, 200u);
  EXPECT_GT(counts.poisoned, 5u);
  EXPECT_GT(counts.not_opened, 5u);
}

INSTANTIATE_TEST_SUITE_P(
    Errors, FaultTest,
    ::testing::Values(FaultCase{"EioOnce", IoError::kInputOutput, false, 0},
                      FaultCase{"EioForEver", IoError::kInputOutput, true, 0},
                      FaultCase{"EioOnceAfterASector", IoError::kInputOutput, false, 512},
                      FaultCase{"FullOnce", IoError::kNoSpace, false, 0},
                      FaultCase{"FullForEver", IoError::kNoSpace, true, 0},
                      FaultCase{"FullOnceAfterABlock", IoError::kNoSpace, false, 4096},
                      FaultCase{"TooLargeOnce", IoError::kTooLarge, false, 0},
                      FaultCase{"DescriptorsOnce", IoError::kDescriptors, false, 0},
                      FaultCase{"MemoryOnce", IoError::kMemory, false, 0},
                      FaultCase{"RefusedForEver", IoError::kRefused, true, 0},
                      FaultCase{"InterruptedOnce", IoError::kInterrupted, false, 0}),
    [](const auto& test) { return test.param.name; });

// Whether its work in the background ends.
bool ComesToRest(store::ExtentStore* store) {
  for (int steps = 0; steps < 10000; ++steps) {
    if (!store->DoBackgroundWork()) return true;
  }
  return false;
}

class FullDiskTest : public ::testing::Test {
 protected:
  // A store that was killed and opened anew, on a disk without a free block.
  void SetUp() override {
    workload_.Run();
    ASSERT_EQ(workload_.breach(), "");
    workload_.Kill();
    auto opened = store::ExtentStore::Open(disk_.OpenDirectory(), StoreOptions({}, &entropy_));
    ASSERT_TRUE(opened.ok()) << opened.status();
    store_ = *std::move(opened);
    handle_ = store_->NewHandle();
    disk_.SetCapacity(disk_.used_bytes());
  }
  Result Write(const std::string& key, uint64_t revision) {
    const Bytes piece = value_;
    const Result staged = handle_->Stage(key, revision, {piece});
    return staged == Result::kOk ? handle_->Commit() : staged;
  }

  const std::string value_ = std::string(7000, 'v');
  SimulatedDisk disk_;
  StoreHistory history_;
  StoreWorkload workload_{&disk_, &history_, {.seed = 4, .saves = 6}};
  pure::testing::SeededEntropy entropy_{5};
  std::unique_ptr<store::ExtentStore> store_;
  std::unique_ptr<store::StoreHandle> handle_;
};

// What was saved stays readable, and writes go on when there is room again, without a restart.
TEST_F(FullDiskTest, WritesAreRefusedWhileItIsFullAndGoOnAfterwards) {
  int written = 0;
  Result result = Result::kOk;
  while ((result = Write(absl::StrCat("big", written), 0)) == Result::kOk) {
    ++written;
    ASSERT_TRUE(ComesToRest(store_.get())) << written;
  }
  EXPECT_EQ(result, Result::kFull);
  EXPECT_GT(written, 0);
  EXPECT_TRUE(ComesToRest(store_.get()));
  EXPECT_EQ(store_->state(), store::StoreState::kOpen);
  handle_->TakeLook();
  store::Found found;
  ASSERT_EQ(handle_->Find(absl::StrCat("big", written - 1), &found), Result::kOk);
  EXPECT_EQ(found.revision, 1u);
  ASSERT_EQ(handle_->Find(absl::StrCat("big", written), &found), Result::kOk);
  EXPECT_FALSE(found.present);
  disk_.SetCapacity(disk_.used_bytes() + (1u << 20));
  EXPECT_EQ(Write(absl::StrCat("big", written), 0), Result::kOk);
  EXPECT_EQ(handle_->staged()[0].revision, 1u);
}

// The values that are replaced make room, as far as compaction finds some.
TEST_F(FullDiskTest, AKeyThatIsRewrittenComesToRestAsWell) {
  uint64_t revision = 0;
  Result result = Result::kOk;
  while (result == Result::kOk && revision < 1000) {
    result = Write("big", revision);
    if (result == Result::kOk) ++revision;
    ASSERT_TRUE(ComesToRest(store_.get())) << revision;
  }
  EXPECT_GT(revision, 0u);
  EXPECT_TRUE(result == Result::kOk || result == Result::kFull) << ResultName(result);
}

}  // namespace
}  // namespace pure::durability
