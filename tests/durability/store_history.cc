#include "tests/durability/store_history.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"

namespace pure::durability {

uint64_t StoreHistory::Add(State state) {
  states_.push_back(std::move(state));
  return saves();
}

State StoreHistory::ReadAll(store::Store* store, std::string* problem) const {
  std::set<std::string> keys;
  for (const auto& [key, state] : states_.back()) keys.insert(key);
  (void)store->List("", [&](Bytes key, uint64_t, size_t) {
    keys.insert(std::string(key));
    return true;
  });
  State all;
  const std::unique_ptr<store::StoreHandle> handle = store->NewHandle();
  handle->TakeLook();
  for (const std::string& key : keys) {
    store::Found found;
    const Result result = handle->Find(key, &found);
    if (result != Result::kOk) {
      *problem = absl::StrCat("reading ", key, " gives ", ResultName(result));
      return all;
    }
    if (found.revision == 0) continue;
    KeyState state{.revision = found.revision, .present = found.present, .value = ""};
    for (Bytes span : found.value.spans()) state.value.append(span);
    all[key] = std::move(state);
  }
  return all;
}

std::string StoreHistory::Match(store::Store* store, uint64_t lowest, uint64_t highest,
                                uint64_t* save) const {
  std::string problem;
  const State all = ReadAll(store, &problem);
  if (!problem.empty()) return problem;
  for (uint64_t i = std::min(highest, saves()) + 1; i-- > lowest;) {
    if (states_[i] == all) {
      *save = i;
      return "";
    }
  }
  for (uint64_t i = 0; i < states_.size(); ++i) {
    if (states_[i] == all) {
      return absl::StrCat("the store is as after save ", i, ", not between ", lowest, " and ",
                          highest);
    }
  }
  return absl::StrCat("no save left the store like this: {", Describe(all), "}; after save ",
                      lowest, ": {", Describe(states_[lowest]), "}");
}

std::string Describe(const State& state) {
  std::string text;
  for (const auto& [key, each] : state) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", key, ": ", each.revision,
                    each.present ? absl::StrCat(":", each.value.size(), " bytes") : "-");
  }
  return text;
}

}  // namespace pure::durability
