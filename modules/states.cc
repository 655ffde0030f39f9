#include "modules/states.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "modules/arena.h"
#include "modules/carrying.h"
#include "modules/machine.h"
#include "modules/plan.h"
#include "modules/rows/saved_rows.h"
#include "runtime/check.h"

namespace pure::modules {
namespace {

// Its revision counts the commits.
constexpr Bytes kCommitKey("\0commit", 7);
constexpr size_t kFirstValuesBytesMax = size_t{64} << 20;

absl::Status Failed(Bytes what, Result result) {
  if (result == Result::kFull) {
    return absl::ResourceExhaustedError(absl::StrCat(what, ": no space left on the device"));
  }
  return absl::UnavailableError(absl::StrCat(what, ": ", ResultName(result)));
}

// What a store keeps of the module that wrote it.
struct Kept {
  std::string text;
  std::unique_ptr<const Module> module;  // null: none wrote it yet
};

// A damaged text is as none where no states can be lost for it.
absl::Status ReadText(const Module& module, store::StoreHandle* handle, std::string* text) {
  store::Found found;
  const Result result = handle->Find(kModuleKey, &found);
  for (const Bytes span : found.value.spans()) text->append(span);
  if (result == Result::kOk) return absl::OkStatus();
  store::Found commit;
  if (module.sharded() && handle->Peek(kCommitKey, &commit) == Result::kOk && !commit.present) {
    return absl::OkStatus();
  }
  return absl::DataLossError("the stored text of the module is damaged");
}

absl::Status ReadKept(const Module& module, store::StoreHandle* handle, Kept* kept) {
  if (absl::Status read = ReadText(module, handle, &kept->text); !read.ok()) return read;
  if (kept->text.empty()) return absl::OkStatus();
  std::vector<Error> errors;
  kept->module = Module::Load(kept->text, &errors);
  if (kept->module != nullptr) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "the store was written by a module that this version can not read");
}

bool HasDocuments(store::Store* store) {
  bool any = false;
  // What can not be listed may be documents.
  const Result listed = store->List("", [&any](Bytes key, uint64_t, size_t) {
    any = !store::IsSystemKey(key);
    return !any;
  });
  return any || listed != Result::kOk;
}

absl::Status CheckKept(const Kept& kept, const Module& module, store::Store* store) {
  if (kept.module == nullptr) return absl::OkStatus();
  return modules::CheckCarried(*kept.module, HasDocuments(store), module);
}

}  // namespace

States::States(const Module& module)
    : module_(module),
      saved_{.states = std::vector<Rows>(module.plan().states.size()),
             .changed_at = std::vector<uint64_t>(module.plan().states.size(), 0)},
      now_(module.plan().states.size()) {}

absl::Status States::Open(const Module& module, Bytes text, store::Store* store,
                          std::unique_ptr<States>* states) {
  const std::unique_ptr<store::StoreHandle> handle = store->NewHandle();
  if (handle == nullptr) return absl::ResourceExhaustedError("no memory for a store handle");
  handle->TakeLook();
  Kept kept;
  if (absl::Status read = ReadKept(module, handle.get(), &kept); !read.ok()) return read;
  if (absl::Status carried = CheckKept(kept, module, store); !carried.ok()) return carried;
  std::unique_ptr<States> opened(new States(module));
  if (absl::Status loaded = opened->Load(store, handle.get()); !loaded.ok()) return loaded;
  if (absl::Status made = opened->MakeFirst(kept.module.get()); !made.ok()) return made;
  Result result = Result::kOk;
  if (kept.text != text) {
    store::Found found;
    result = handle->Peek(kModuleKey, &found);
    if (result == Result::kOk) result = handle->Stage(kModuleKey, found.revision, {text});
  }
  const bool changed = opened->Changed();
  if (result == Result::kOk && changed) result = opened->Stage(handle.get());
  if (result == Result::kOk) result = handle->Commit();
  if (result != Result::kOk) return Failed("saving the module and its first states", result);
  if (changed) opened->Settle(true);
  *states = std::move(opened);
  return absl::OkStatus();
}

absl::Status States::CheckCarried(const Module& module, store::Store* store) {
  const std::unique_ptr<store::StoreHandle> handle = store->NewHandle();
  if (handle == nullptr) return absl::ResourceExhaustedError("no memory for a store handle");
  handle->TakeLook();
  Kept kept;
  if (absl::Status read = ReadKept(module, handle.get(), &kept); !read.ok()) return read;
  return CheckKept(kept, module, store);
}

absl::Status States::Load(store::Store* store, store::StoreHandle* handle) {
  for (size_t i = 0; i < saved_.states.size(); ++i) {
    const PlanState& state = module_.plan().states[i];
    std::string damaged;
    Result result = LoadRows(state.name, store, handle, &saved_.states[i], &damaged);
    for (size_t row = 0; result == Result::kOk && row < saved_.states[i].size(); ++row) {
      if (!IsRow(saved_.states[i].At(row), state.layout)) result = Result::kStorage;
    }
    if (result == Result::kStorage) {
      return absl::DataLossError(absl::StrCat("the state `", state.name, "` is damaged"));
    }
    if (result != Result::kOk) return Failed(absl::StrCat("loading `", state.name, "`"), result);
    now_[i] = saved_.states[i];
  }
  store::Found found;
  const Result result = handle->Peek(kCommitKey, &found);
  if (result != Result::kOk) return Failed("loading the commit", result);
  saved_.commit = found.revision;
  // What they were before the start is not known any more; the newest is never too old.
  std::fill(saved_.changed_at.begin(), saved_.changed_at.end(), saved_.commit);
  return absl::OkStatus();
}

// Those that the module before did not have; what it had was saved with its text.
absl::Status States::MakeFirst(const Module* old_module) {
  const Plan& plan = module_.plan();
  Arena arena(kFirstValuesBytesMax);
  Machine machine(&plan, &arena);
  for (size_t i = 0; i < now_.size(); ++i) {
    const PlanState& state = plan.states[i];
    const auto same = [&state](const PlanState& old) { return old.name == state.name; };
    if (old_module != nullptr &&
        std::any_of(old_module->plan().states.begin(), old_module->plan().states.end(), same)) {
      continue;
    }
    const Ending ending = machine.Run(state.first, 0, absl::MakeSpan(now_));
    if (ending.result != Result::kOk) {
      return absl::InvalidArgumentError(
          absl::StrCat("the first value of the state `", state.name, "` can not be made: ",
                       ending.result == Result::kFault ? plan.faults[ending.fault].name
                                                       : std::string(ResultName(ending.result))));
    }
    machine.Forget();
  }
  return absl::OkStatus();
}

bool States::Changed(absl::Span<const uint16_t> states) const {
  return std::any_of(states.begin(), states.end(), [this](uint16_t state) {
    return !now_[state].IsSameAs(saved_.states[state]);
  });
}

bool States::Changed() const {
  for (size_t i = 0; i < now_.size(); ++i) {
    if (!now_[i].IsSameAs(saved_.states[i])) return true;
  }
  return false;
}

Result States::Stage(store::StoreHandle* handle) {
  for (size_t i = 0; i < now_.size(); ++i) {
    const Result result =
        StageRows(module_.plan().states[i].name, saved_.states[i], now_[i], handle);
    if (result != Result::kOk) return result;
  }
  return handle->Stage(kCommitKey, saved_.commit, {});
}

void States::Settle(bool saved) {
  if (!saved) {
    now_ = saved_.states;
    return;
  }
  if (!Changed()) return;
  ++saved_.commit;
  for (size_t i = 0; i < now_.size(); ++i) {
    if (!now_[i].IsSameAs(saved_.states[i])) saved_.changed_at[i] = saved_.commit;
  }
  saved_.states = now_;
  if (published_ != nullptr) published_->Publish(saved_);
}

void States::PublishTo(PublishedLook* published) {
  published_ = published;
  published->Publish(saved_);
}

}  // namespace pure::modules
