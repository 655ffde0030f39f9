#include "tests/durability/store_workload.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "store/format.h"
#include "tests/durability/stage_splice.h"

namespace pure::durability {
namespace {

constexpr uint64_t kKeys = 10;

}  // namespace

store::ExtentStoreOptions StoreOptions(const WorkloadOptions& options, Entropy* entropy) {
  return {.segment_bytes = options.segment_bytes,
          .first_segment_bytes = options.first_segment_bytes,
          .checkpoint_after_bytes = store::kBlockBytes,
          .save_bytes_max = 1u << 20,
          .entropy = entropy};
}

StoreWorkload::StoreWorkload(store::SimulatedDisk* disk, StoreHistory* history,
                             const WorkloadOptions& options)
    : disk_(disk),
      history_(history),
      options_(options),
      random_(options.seed),
      entropy_(options.seed + 1000) {}

StoreWorkload::~StoreWorkload() { Kill(); }

void StoreWorkload::Kill() {
  for (auto& handle : handles_) handle.reset();
  store_.reset();
}

// A value that the disk does not deliver is refused, which is right while a test makes reads fail.
bool StoreWorkload::IsReadFault(const std::string& problem) const {
  return disk_->faults_struck() > 0 && problem.rfind("reading ", 0) == 0;
}

bool StoreWorkload::Open() {
  auto store = store::ExtentStore::Open(disk_->OpenDirectory(), StoreOptions(options_, &entropy_));
  open_status_ = store.status();
  if (!store.ok()) return false;
  store_ = *std::move(store);
  for (auto& handle : handles_) handle = store_->NewHandle();
  // What an opened store shows stays (D7).
  uint64_t save = 0;
  const std::string problem =
      history_->Match(store_.get(), acknowledged_, history_->saves(), &save);
  if (!problem.empty()) {
    if (!IsReadFault(problem)) breach_ = absl::StrCat("after opening: ", problem);
    return false;
  }
  acknowledged_ = save;
  disk_->Acknowledge(acknowledged_);
  return true;
}

bool StoreWorkload::Close() {
  for (auto& handle : handles_) handle.reset();
  const bool closed = store_->Close().ok();
  store_.reset();
  return closed;
}

void StoreWorkload::Run() {
  if (!Open()) return;
  for (int i = 1; i <= options_.saves && breach_.empty(); ++i) {
    SaveOnce(handles_[i % 2].get());
    Upkeep();
    CheckReads();
    if (store_->state() == store::StoreState::kPoisoned) continue;
    if (i % options_.close_every == 0) {
      if (!Close() || !Open()) return;
    } else if (i % options_.crash_every == 0) {
      Kill();
      if (!Open()) return;
    }
  }
  if (breach_.empty() && random_.OneIn(2)) (void)store_->Close();
}

// Some steps of the work off the commit path, or all; now and then as if it had been quiet, or as
// somebody who asks for compaction.
void StoreWorkload::Upkeep() {
  for (auto& handle : handles_) handle->DropLook();
  uint64_t steps = random_.Below(random_.OneIn(4) ? 40 : 8);
  if (options_.finish_background || random_.OneIn(12)) steps = 1000;
  while (steps > 0 && store_->DoBackgroundWork()) --steps;
  if (random_.OneIn(8)) store_->SealTail();
  if (random_.OneIn(24)) (void)store_->Compact();
  compactions_ = std::max(compactions_, store_->counters().compactions);
}

std::string StoreWorkload::NewValue() {
  constexpr size_t kSizes[] = {0, 20, 700, 2500, 5000, 9000};
  std::string value(kSizes[random_.Below(std::size(kSizes))], '\0');
  const char first = static_cast<char>(random_.Next());
  for (size_t i = 0; i < value.size(); ++i) value[i] = static_cast<char>(first + i + i / 251);
  return value;
}

// Stages the stored value with other bytes in place of some of it, sharing the rest. Its new value.
std::string StoreWorkload::Splice(store::StoreHandle* handle, const std::string& key, uint64_t base,
                                  const std::string& old) {
  constexpr size_t kSizes[] = {10, 300, 3000};
  const size_t begin = random_.Below(old.size() + 1);
  const size_t end = begin + random_.Below(old.size() - begin + 1) / 2;
  new_bytes_.push_back(
      std::string(kSizes[random_.Below(std::size(kSizes))], static_cast<char>(random_.Next())));
  std::string value = old.substr(0, begin) + new_bytes_.back() + old.substr(end);
  lent_.emplace_back();
  if (StageSplice(handle, key, base, begin, end, new_bytes_.back(), &lent_.back()) != Result::kOk) {
    // The disk does not deliver what would be shared.
    const Bytes whole = new_bytes_.emplace_back(value);
    (void)handle->Stage(key, base, absl::MakeConstSpan(&whole, 1));
  }
  return value;
}

void StoreWorkload::SaveOnce(store::StoreHandle* handle) {
  State next = history_->newest();
  std::vector<std::string> values(1 + random_.Below(3));
  for (std::string& value : values) {
    const std::string key = absl::StrCat("key", random_.Below(kKeys));
    const auto before = history_->newest().find(key);
    const uint64_t base = before == history_->newest().end() ? 0 : before->second.revision;
    if (next.count(key) > 0 && next[key].revision != base) continue;  // one write a key
    if (base > 0 && random_.OneIn(6)) {
      (void)handle->StageErase(key, base);
      next[key] = {.revision = base + 1, .present = false, .value = ""};
    } else if (base > 0 && random_.OneIn(3)) {
      value = Splice(handle, key, base, next[key].value);
      next[key] = {.revision = base + 1, .present = true, .value = value};
    } else {
      value = NewValue();
      // In two pieces, one of them perhaps small.
      const Bytes pieces[] = {Bytes(value).substr(0, value.size() / 4),
                              Bytes(value).substr(value.size() / 4)};
      (void)handle->Stage(key, base, pieces);
      next[key] = {.revision = base + 1, .present = true, .value = value};
    }
  }
  disk_->Mark(kTriedMark, history_->Add(std::move(next)));
  const bool poisoned = store_->state() == store::StoreState::kPoisoned;
  const Result result = handle->Commit();
  lent_.clear();
  new_bytes_.clear();
  if (poisoned && result != Result::kStorage) {
    breach_ = absl::StrCat("after a failed sync a save ended with ", ResultName(result), " (D9)");
  }
  Settle(handle, result);
}

void StoreWorkload::Settle(store::StoreHandle* handle, Result result) {
  const uint64_t save = history_->saves();
  switch (result) {
    case Result::kOk:
      for (const store::Staged& staged : handle->staged()) {
        if (staged.result != Result::kOk) breach_ = "a save without a rival lost";
      }
      acknowledged_ = save;
      disk_->Acknowledge(save);
      return;
    case Result::kUncertain:
      uncertain_ = save;
      if (store_->state() != store::StoreState::kPoisoned) breach_ = "uncertain, not poisoned (P6)";
      if (store_->failure().ok()) breach_ = "poisoned without a reason";
      return;
    case Result::kFull:
    case Result::kStorage:
    case Result::kAllocation:
      ++refused_saves_;
      // What is uncertain may yet turn up, so the history keeps it until the store is opened anew.
      history_->TakeBack();
      disk_->Mark(kTriedMark, history_->saves());
      return;
    default:
      breach_ = absl::StrCat("a save ended with ", ResultName(result));
  }
}

// What a running store shows is acknowledged, whatever happened to the disk.
void StoreWorkload::CheckReads() {
  uint64_t save = 0;
  const std::string problem = history_->Match(store_.get(), acknowledged_, acknowledged_, &save);
  if (!problem.empty() && breach_.empty() && !IsReadFault(problem)) {
    breach_ = absl::StrCat("running: ", problem);
  }
}

}  // namespace pure::durability
