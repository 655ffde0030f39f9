#include "store/memory_store.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "runtime/check.h"
#include "store/staging.h"

namespace pure::store {
namespace {

constexpr uint64_t kNoLook = std::numeric_limits<uint64_t>::max();
using Value = std::shared_ptr<const std::string>;

struct Version {
  uint64_t seq = 0;
  uint64_t revision = 0;
  Value value = nullptr;  // null: erased
};

void ReturnValue(void* value, void*) { delete static_cast<Value*>(value); }

}  // namespace

class MemoryStore::Core {
 public:
  explicit Core(size_t bytes_max) : save_bytes_max(bytes_max) {}

  const Version* NewestSeen(Bytes key, uint64_t look) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    const auto found = documents.find(key);
    if (found == documents.end()) return nullptr;
    for (auto version = found->second.rbegin(); version != found->second.rend(); ++version) {
      if (version->seq <= look) return &*version;
    }
    return nullptr;
  }

  Result Save(Staging* staging) ABSL_LOCKS_EXCLUDED(mutex) {
    absl::MutexLock lock(&mutex);
    if (state != StoreState::kOpen) return Result::kStorage;
    if (failing_saves > 0) {
      --failing_saves;
      if (failing_result == Result::kUncertain) state = StoreState::kPoisoned;
      return failing_result;
    }
    bool any = false;
    for (size_t i = 0; i < staging->entries().size(); ++i) {
      any |= Apply(*staging, staging->entries()[i], &staging->results()[i]);
    }
    if (any) {
      ++published;
      ++totals.commit_groups;
    }
    return Result::kOk;
  }

  bool Apply(const Staging& staging, const StagedEntry& entry, Staged* staged)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    const std::string key(staging.key(entry));
    std::vector<Version>& versions = documents[key];
    const uint64_t current = versions.empty() ? 0 : versions.back().revision;
    if (current != entry.base_revision) {
      *staged = {Result::kConflict, current};
      return false;
    }
    Version version{.seq = published + 1, .revision = current + 1};
    if (entry.kind == EntryKind::kWrite) {
      std::string value;
      for (const StagedPart& part : staging.parts(entry)) {
        for (Bytes piece : staging.pieces(part)) value.append(piece);
      }
      version.value = std::make_shared<const std::string>(std::move(value));
      totals.keys += IsSystemKey(key) ? 0 : 1;
      totals.live_bytes += version.value->size();
    }
    if (!versions.empty() && versions.back().value != nullptr) {
      totals.keys -= IsSystemKey(key) ? 0 : 1;
      totals.live_bytes -= versions.back().value->size();
    }
    versions.push_back(std::move(version));
    DropUnseen(&versions);
    *staged = {Result::kOk, current + 1};
    return true;
  }

  // All but the newest version that each look sees. New looks may still see the last commit.
  void DropUnseen(std::vector<Version>* versions) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    uint64_t oldest = published;
    for (const uint64_t* look : looks) oldest = std::min(oldest, *look);
    while (versions->size() > 1 && (*versions)[1].seq <= oldest) versions->erase(versions->begin());
  }

  const size_t save_bytes_max;
  mutable absl::Mutex mutex;
  std::map<std::string, std::vector<Version>, std::less<>> documents ABSL_GUARDED_BY(mutex);
  std::set<const uint64_t*> looks ABSL_GUARDED_BY(mutex);
  std::set<std::string, std::less<>> damaged ABSL_GUARDED_BY(mutex);
  uint64_t published ABSL_GUARDED_BY(mutex) = 0;
  StoreCounters totals ABSL_GUARDED_BY(mutex);
  StoreState state ABSL_GUARDED_BY(mutex) = StoreState::kOpen;
  int failing_saves ABSL_GUARDED_BY(mutex) = 0;
  Result failing_result ABSL_GUARDED_BY(mutex) = Result::kOk;
};

class MemoryStore::Handle final : public StoreHandle {
 public:
  explicit Handle(Core* core) : core_(core), staging_(core->save_bytes_max) {
    absl::MutexLock lock(&core_->mutex);
    core_->looks.insert(&look_);
  }
  ~Handle() override {
    absl::MutexLock lock(&core_->mutex);
    core_->looks.erase(&look_);
  }

  void TakeLook() override {
    absl::MutexLock lock(&core_->mutex);
    look_ = core_->published;
  }
  void DropLook() override {
    absl::MutexLock lock(&core_->mutex);
    look_ = kNoLook;
  }

  Result Find(Bytes key, Found* found) override {
    const Value value = FindValue(key, found);
    if (value == nullptr) return Result::kOk;
    absl::MutexLock lock(&core_->mutex);
    if (core_->damaged.count(key) > 0) {
      *found = Found{};
      return Result::kStorage;
    }
    Value* held = new Value(value);
    found->value = Resource(Bytes(**held), ReturnValue, held, nullptr);
    return Result::kOk;
  }
  Result FindToStage(Bytes key, Found* found) override { return Find(key, found); }
  Result Peek(Bytes key, Found* found) override {
    (void)FindValue(key, found);
    return Result::kOk;
  }

  Result Stage(Bytes key, uint64_t base_revision, absl::Span<const Bytes> pieces) override {
    uint64_t size_bytes = 0;
    for (Bytes piece : pieces) size_bytes += piece.size();
    value_.Begin(ValueParts::ExtentBytesMax(size_bytes));
    for (Bytes piece : pieces) value_.AddNew(piece);
    return staging_.Add(key, base_revision, EntryKind::kWrite, value_);
  }
  Result StageErase(Bytes key, uint64_t base_revision) override {
    value_.Begin(0);
    return staging_.Add(key, base_revision, EntryKind::kErase, value_);
  }
  Result Commit() override {
    staging_.Seal();
    const Result result = staging_.empty() ? Result::kOk : core_->Save(&staging_);
    staging_.Clear();
    return result;
  }
  void Discard() override { staging_.Clear(); }
  absl::Span<const Staged> staged() const override { return staging_.results(); }
  size_t stage_bytes_left() const override { return staging_.payload_bytes_left(); }

 private:
  // Null: nothing is there.
  Value FindValue(Bytes key, Found* found) {
    *found = Found{};
    absl::MutexLock lock(&core_->mutex);
    PURE_CHECK(look_ != kNoLook, "a look is held while reading");
    const Version* version = core_->NewestSeen(key, look_);
    if (version == nullptr) return nullptr;
    found->present = version->value != nullptr;
    found->revision = version->revision;
    found->size_bytes = found->present ? version->value->size() : 0;
    return version->value;
  }

  Core* const core_;
  uint64_t look_ = kNoLook;  // under the core's lock
  ValueParts value_;         // being staged
  Staging staging_;
};

MemoryStore::MemoryStore(size_t save_bytes_max) : core_(std::make_unique<Core>(save_bytes_max)) {}

MemoryStore::~MemoryStore() = default;

std::unique_ptr<StoreHandle> MemoryStore::NewHandle() {
  return std::make_unique<Handle>(core_.get());
}

Result MemoryStore::List(
    Bytes prefix,
    const std::function<bool(Bytes key, uint64_t revision, size_t size_bytes)>& visit) {
  std::vector<std::pair<std::string, Version>> all;
  {
    absl::MutexLock lock(&core_->mutex);
    for (auto each = core_->documents.lower_bound(prefix); each != core_->documents.end(); ++each) {
      if (Bytes(each->first).substr(0, prefix.size()) != prefix) break;
      if (!each->second.empty() && each->second.back().value != nullptr) {
        all.emplace_back(each->first, each->second.back());
      }
    }
  }
  for (const auto& [key, version] : all) {
    if (!visit(key, version.revision, version.value->size())) break;
  }
  return Result::kOk;
}

StoreState MemoryStore::state() const {
  absl::MutexLock lock(&core_->mutex);
  return core_->state;
}

absl::Status MemoryStore::failure() const {
  if (state() != StoreState::kPoisoned) return absl::OkStatus();
  return absl::UnavailableError("a save failed as the test asked for");
}

StoreCounters MemoryStore::counters() const {
  absl::MutexLock lock(&core_->mutex);
  return core_->totals;
}

absl::Status MemoryStore::Close() {
  absl::MutexLock lock(&core_->mutex);
  if (core_->state == StoreState::kOpen) core_->state = StoreState::kClosed;
  return absl::OkStatus();
}

void MemoryStore::FailSaves(int count, Result result) {
  absl::MutexLock lock(&core_->mutex);
  core_->failing_saves = count;
  core_->failing_result = result;
}

void MemoryStore::Damage(Bytes key) {
  absl::MutexLock lock(&core_->mutex);
  core_->damaged.insert(std::string(key));
}

}  // namespace pure::store
