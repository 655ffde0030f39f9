#include "tests/durability/damage_judge.h"

#include <memory>
#include <numeric>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "runtime/result.h"
#include "store/extent_store.h"
#include "tests/testing/seeded_entropy.h"

namespace pure::durability {
namespace {

using store::CallKind;
using store::SimulatedDisk;

// Every so manieth store that opens is opened once more, to see what the first opening made of it.
constexpr uint64_t kOpenedAgain = 8;

bool SameBytes(absl::Span<const Bytes> spans, Bytes value) {
  for (const Bytes span : spans) {
    if (value.substr(0, span.size()) != span) return false;
    value.remove_prefix(span.size());
  }
  return value.empty();
}

// Calls that may change a file.
uint64_t Changes(const SimulatedDisk& disk) {
  uint64_t changes = 0;
  for (const CallKind kind : {CallKind::kCreate, CallKind::kRename, CallKind::kRemove,
                              CallKind::kWrite, CallKind::kAllocate}) {
    changes += disk.calls(kind);
  }
  return changes;
}

// The list needs no stored bytes, so that it has to be right.
std::string CompareList(store::Store* store, const State& expected) {
  std::string problem;
  uint64_t present = 0;
  const Result result = store->List("", [&](Bytes key, uint64_t revision, size_t size_bytes) {
    const auto found = expected.find(std::string(key));
    ++present;
    if (found == expected.end() || !found->second.present || found->second.revision != revision ||
        found->second.value.size() != size_bytes) {
      problem = absl::StrCat("the list shows ", key, ": ", revision, ":", size_bytes, " bytes");
    }
    return problem.empty();
  });
  if (!problem.empty()) return problem;
  if (result != Result::kOk) return absl::StrCat("the list gives ", ResultName(result));
  for (const auto& [key, state] : expected) present -= state.present;
  return present == 0 ? "" : "the list misses keys";
}

// Reads every key. Empty: each is as expected, or refused.
std::string CompareAll(store::Store* store, const State& expected, uint64_t* refused) {
  const std::string problem = CompareList(store, expected);
  if (!problem.empty()) return problem;
  const std::unique_ptr<store::StoreHandle> handle = store->NewHandle();
  handle->TakeLook();
  for (const auto& [key, state] : expected) {
    store::Found found;
    const Result result = handle->Find(key, &found);
    if (result == Result::kStorage) {
      ++*refused;
    } else if (result != Result::kOk) {
      return absl::StrCat("reading ", key, " gives ", ResultName(result));
    } else if (found.revision != state.revision || found.present != state.present) {
      return absl::StrCat(key, " has revision ", found.revision, ", not ", state.revision);
    } else if (state.present && !SameBytes(found.value.spans(), state.value)) {
      return absl::StrCat(key, " has other bytes");
    }
  }
  return "";
}

}  // namespace

OlderState DamageJudge::OlderWithout(const std::string& file, uint64_t offset,
                                     uint64_t size_bytes) const {
  const bool in_newest_frame = file == newest_frame_.file && offset < newest_frame_.end &&
                               offset + size_bytes > newest_frame_.begin;
  if (!in_newest_frame || newest_frame_.is_sealed) return nullptr;
  return &subject_.moments[subject_.moments.size() - 2].state;
}

std::string DamageJudge::OpenAndRead(SimulatedDisk* disk, OlderState older,
                                     Outcome* outcome) const {
  pure::testing::SeededEntropy entropy(31);
  auto opened = store::ExtentStore::Open(disk->OpenDirectory(), OptionsOf(subject_, &entropy));
  if (!opened.ok()) {
    *outcome = Outcome::kRefusedAtOpen;
    if (!absl::IsDataLoss(opened.status()) && !absl::IsFailedPrecondition(opened.status())) {
      return absl::StrCat("refused for another reason: ", opened.status().ToString());
    }
    if (Changes(*disk) == 0) return "";
    return absl::StrCat("refused, but files were changed: ", opened.status().message());
  }
  store::ExtentStore* store = opened->get();
  uint64_t refused = 0;
  std::string problem = CompareAll(store, subject_.newest(), &refused);
  const bool is_older = !problem.empty() && older != nullptr;
  if (is_older) {
    refused = 0;
    problem = CompareAll(store, *older, &refused);
  }
  if (!problem.empty()) return problem;
  store::VerifyReport report;
  const absl::Status verified = store->Verify(&report);
  if (!verified.ok()) return absl::StrCat("Verify: ", verified.message());
  if (refused > 0 && report.damages.empty()) return "a read is refused, but Verify is content";
  *outcome = is_older                  ? Outcome::kOlder
             : refused > 0             ? Outcome::kRefusedAtRead
             : !report.damages.empty() ? Outcome::kReported
                                       : Outcome::kHarmless;
  return "";
}

std::string DamageJudge::Judge(const store::DiskImage& image, OlderState older) {
  SimulatedDisk disk(image, {.keep_journal = false});
  Outcome outcome = Outcome::kHarmless;
  std::string problem = OpenAndRead(&disk, older, &outcome);
  ++counts_[static_cast<size_t>(outcome)];
  if (!problem.empty() || outcome == Outcome::kRefusedAtOpen) return problem;
  if (judged() % kOpenedAgain != 0) return "";
  // What was shown stays: the older state, or the newest.
  SimulatedDisk again(disk.KillImage(), {.keep_journal = false});
  problem = OpenAndRead(&again, outcome == Outcome::kOlder ? older : nullptr, &outcome);
  return problem.empty() ? "" : absl::StrCat("opened again: ", problem);
}

uint64_t DamageJudge::judged() const {
  return std::accumulate(counts_.begin(), counts_.end(), uint64_t{0});
}

std::string DamageJudge::Describe() const {
  return absl::StrCat(judged(), " damages: ", count(Outcome::kRefusedAtOpen), " refused at open, ",
                      count(Outcome::kRefusedAtRead), " refused at read, ",
                      count(Outcome::kReported), " reported by Verify alone, ",
                      count(Outcome::kHarmless), " harmless, ", count(Outcome::kOlder),
                      " hidden by the exception for unsealed frames");
}

}  // namespace pure::durability
