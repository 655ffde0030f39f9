// Random runs of every operation of a store against a map (T3), with clean closes, kills and
// read-only openings between.

#include <array>
#include <cstdio>
#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "store/extent_store.h"
#include "store/simulated/simulated_disk.h"
#include "tests/durability/stage_splice.h"
#include "tests/durability/store_history.h"
#include "tests/testing/effort.h"
#include "tests/testing/sanitizers.h"
#include "tests/testing/seeded_entropy.h"

namespace pure::durability {
namespace {

using store::ExtentStore;
using store::SimulatedDisk;

class Sequence {
 public:
  explicit Sequence(uint64_t seed) : random_(seed), entropy_(seed ^ 0x5555) {}

  // Empty: the store was as the map all along.
  std::string Run(int operations) {
    Open(false);
    for (int i = 0; i < operations && problem_.empty(); ++i) Step();
    if (problem_.empty()) CheckAll();
    Close();
    return problem_;
  }

 private:
  struct Reader {
    std::unique_ptr<store::StoreHandle> handle;
    State seen;  // by its look
    bool has_look = false;
  };

  void Fail(std::string why) {
    if (problem_.empty()) problem_ = std::move(why);
  }

  void Open(bool read_only) {
    auto opened = ExtentStore::Open(disk_.OpenDirectory(), {.segment_bytes = 64u << 10,
                                                            .first_segment_bytes = 16u << 10,
                                                            .checkpoint_after_bytes = 32u << 10,
                                                            .save_bytes_max = 60000,
                                                            .read_only = read_only,
                                                            .entropy = &entropy_});
    if (!opened.ok()) return Fail(std::string(opened.status().message()));
    store_ = *std::move(opened);
    for (Reader& reader : readers_) {
      reader.handle = store_->NewHandle();
      reader.has_look = false;
    }
  }
  void Close() {
    for (Reader& reader : readers_) reader.handle.reset();
    store_.reset();
  }

  void Step() {
    switch (random_.Below(16)) {
      default:
        return Save();
      case 0:
        return Look();
      case 1:
      case 2:
        return CheckReader();
      case 3:
        return Upkeep();
      case 4:
        if (random_.OneIn(4)) Reopen();
        return;
      case 5:
        if (random_.OneIn(8)) CheckAll();
        return;
    }
  }

  void Upkeep() {
    if (random_.OneIn(8)) store_->SealTail();
    if (random_.OneIn(30) && !store_->Compact().ok()) Fail("it does not compact");
    for (uint64_t steps = random_.Below(40); steps > 0 && store_->DoBackgroundWork();) --steps;
  }

  void Reopen() {
    switch (random_.Below(3)) {
      case 0:
        if (!store_->Close().ok()) Fail("it does not close");
        break;
      case 1:
        break;
      case 2:
        Close();
        Open(true);
        if (problem_.empty()) CheckAll();
        break;
    }
    Close();
    Open(false);
    if (problem_.empty()) CheckAll();
  }

  std::string Key() { return absl::StrCat("k", random_.Below(12)); }

  std::string Value() {
    std::string value(random_.OneIn(8) ? random_.Below(20000) : random_.Below(300), '\0');
    const char first = static_cast<char>(random_.Next());
    for (size_t i = 0; i < value.size(); ++i) value[i] = static_cast<char>(first + i * 7);
    return value;
  }

  // Stages a value in two pieces; or puts the value into the middle of the stored one, which shares
  // it, and makes *value what comes of it.
  Result Stage(store::StoreHandle* handle, const std::string& key, uint64_t base,
               std::string* value) {
    const auto stored = model_.find(key);
    const bool shares = random_.OneIn(3) && stored != model_.end() && stored->second.present &&
                        stored->second.revision == base;
    const size_t cut = random_.Below(value->size() + 1);
    if (!shares) {
      const Bytes pieces[] = {Bytes(*value).substr(0, cut), Bytes(*value).substr(cut)};
      return handle->Stage(key, base, pieces);
    }
    const std::string& old = stored->second.value;
    const size_t begin = random_.Below(old.size() + 1);
    const size_t end = begin + random_.Below(old.size() - begin + 1) / 2;
    const std::string& insert = new_bytes_.emplace_back(*value, 0, cut);
    *value = old.substr(0, begin) + insert + old.substr(end);
    return StageSplice(handle, key, base, begin, end, insert, &lent_.emplace_back());
  }

  void Save() {
    lent_.clear();
    new_bytes_.clear();
    Reader& reader = readers_[random_.Below(2)];
    reader.has_look = false;  // a splice takes another
    store::StoreHandle* handle = reader.handle.get();
    State next = model_;
    std::vector<std::string> values(1 + random_.Below(4));
    std::vector<store::Staged> expected;
    for (std::string& value : values) {
      const std::string key = Key();
      const uint64_t current = next.count(key) > 0 ? next[key].revision : 0;
      const bool stale = random_.OneIn(8);
      const uint64_t base = stale ? current + 1 + random_.Below(2) : current;
      const bool erase = random_.OneIn(6);
      value = erase ? "" : Value();
      const Result staged =
          erase ? handle->StageErase(key, base) : Stage(handle, key, base, &value);
      if (staged == Result::kLimit) continue;
      if (staged != Result::kOk) return Fail("it does not stage");
      if (stale) {
        expected.push_back({Result::kConflict, current});
      } else {
        expected.push_back({Result::kOk, current + 1});
        next[key] = {current + 1, !erase, value};
      }
    }
    if (random_.OneIn(20)) return handle->Discard();
    if (handle->Commit() != Result::kOk) return Fail("it does not commit");
    if (handle->staged().size() != expected.size()) return Fail("wrong number of results");
    for (size_t i = 0; i < expected.size(); ++i) {
      if (handle->staged()[i].result != expected[i].result ||
          handle->staged()[i].revision != expected[i].revision) {
        return Fail(absl::StrCat("entry ", i, " ended otherwise"));
      }
    }
    model_ = std::move(next);
  }

  void Look() {
    Reader& reader = readers_[random_.Below(readers_.size())];
    if (random_.OneIn(4)) {
      reader.handle->DropLook();
      reader.has_look = false;
    } else {
      reader.handle->TakeLook();
      reader.has_look = true;
      reader.seen = model_;
    }
  }

  void CheckReader() {
    Reader& reader = readers_[random_.Below(readers_.size())];
    if (!reader.has_look) return;
    const std::string key = Key();
    store::Found found;
    if (reader.handle->Find(key, &found) != Result::kOk) return Fail("it does not read");
    const KeyState expected = reader.seen.count(key) > 0 ? reader.seen[key] : KeyState{};
    std::string value;
    for (Bytes span : found.value.spans()) value.append(span);
    if (found.revision != expected.revision || found.present != expected.present ||
        value != expected.value) {
      Fail(absl::StrCat("a look shows ", key, " otherwise"));
    }
  }

  void CheckAll() {
    StoreHistory history;
    history.Add(model_);
    uint64_t save = 0;
    const std::string problem = history.Match(store_.get(), 1, 1, &save);
    if (!problem.empty()) return Fail(problem);
    uint64_t keys = 0;
    uint64_t live_bytes = 0;
    for (const auto& [key, state] : model_) {
      keys += state.present;
      live_bytes += state.value.size();
    }
    const store::StoreCounters counters = store_->counters();
    if (counters.keys != keys || counters.live_bytes != live_bytes) Fail("the counters are wrong");
    store::VerifyReport report;
    (void)store_->Verify(&report);
    if (!report.damages.empty()) Fail(report.damages[0].what);
  }

  pure::testing::SeededEntropy random_;
  pure::testing::SeededEntropy entropy_;
  SimulatedDisk disk_{store::SimulatedDiskOptions{.keep_journal = false}};
  std::unique_ptr<ExtentStore> store_;
  std::array<Reader, 4> readers_;
  State model_;
  // Of the save at hand: what its pieces lie in.
  std::deque<store::Found> lent_;
  std::deque<std::string> new_bytes_;
  std::string problem_;
};

class PropertyTest : public ::testing::TestWithParam<uint64_t> {};

TEST_P(PropertyTest, RandomSequencesKeepTheStoreEqualToAMap) {
  constexpr uint64_t kSequences = pure::testing::kAnySanitizer ? 250 : 2500;
  constexpr int kOperations = 200;
  for (uint64_t i = 0; i < kSequences; ++i) {
    const uint64_t seed = GetParam() * kSequences + i;
    ASSERT_EQ(Sequence(seed).Run(kOperations), "") << "seed " << seed;
  }
  std::printf("%llu sequences of %d operations\n", static_cast<unsigned long long>(kSequences),
              kOperations);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PropertyTest,
                         ::testing::Range(pure::testing::FirstSeed(),
                                          pure::testing::FirstSeed() +
                                              8 * pure::testing::Effort()));

}  // namespace
}  // namespace pure::durability
