// `pure store stat`, `list`, `get` and `module`: what is in a store.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "platforms/server/store_verbs.h"
#include "platforms/server/stored_module.h"

namespace pure::server {

Exit StoreStat(const StoreTask& task) {
  return WithStore(task, Access::kRead, [](const OpenedStore& opened) {
    const store::StoreCounters counters = opened.store->counters();
    Print(absl::StrCat(
        "{", KeysField(opened), ",\"live_bytes\":", counters.live_bytes,
        ",\"dead_bytes\":", counters.dead_bytes, ",\"store_bytes\":", counters.store_bytes,
        ",\"segments\":", counters.segments, ",\"index_bytes\":", counters.index_bytes,
        ",\"index_bytes_per_key\":", counters.index_bytes / std::max<uint64_t>(1, counters.keys),
        "}\n"));
    return Exit::kDone;
  });
}

Exit StoreList(const StoreTask& task) {
  return WithStore(task, Access::kRead, [&](const OpenedStore& opened) {
    const Bytes prefix = task.rest.empty() ? Bytes() : Bytes(task.rest[0]);
    const Result result =
        opened.store->List(prefix, [](Bytes key, uint64_t revision, size_t size_bytes) {
          if (!store::IsSystemKey(key))
            Print(absl::StrCat(key, "\t", revision, "\t", size_bytes, "\n"));
          return true;
        });
    return result == Result::kOk ? Exit::kDone : Fail(StatusOfResult(result, "list"));
  });
}

Exit StoreGet(const StoreTask& task) {
  return WithStore(task, Access::kRead, [&](const OpenedStore& opened) {
    const Bytes key = task.rest[0];
    const std::unique_ptr<store::StoreHandle> handle = opened.store->NewHandle();
    if (handle == nullptr) return Fail(StatusOfResult(Result::kAllocation, key));
    handle->TakeLook();
    store::Found found;
    const Result result = handle->Find(key, &found);
    if (result != Result::kOk) return Fail(StatusOfResult(result, key));
    if (!found.present) {
      return Fail(absl::NotFoundError(absl::StrCat(key, ": there is no such document")));
    }
    for (const Bytes span : found.value.spans()) Print(span);
    return Exit::kDone;
  });
}

Exit StoreModule(const StoreTask& task) {
  return WithStore(task, Access::kRead, [](const OpenedStore& opened) {
    std::string text;
    const Result result = FindModuleText(opened.store.get(), &text);
    if (result == Result::kNotFound) {
      return Fail(absl::NotFoundError("the store keeps no module: no server has written it"));
    }
    if (result != Result::kOk) return Fail(StatusOfResult(result, "the module's text"));
    Print(text);
    return Exit::kDone;
  });
}

}  // namespace pure::server
