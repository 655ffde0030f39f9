// `pure store verify` and `compact`: every byte of a store is read, or written anew.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "platforms/server/store_verbs.h"

namespace pure::server {

Exit VerifyAndPrint(const Program& program, const OpenedStore& opened, Bytes counts) {
  std::vector<std::string> damages;
  absl::Status status;
  {
    Progress progress(program.clock, program.terminal, "verify");
    status = opened.verify(&damages, [&progress](uint64_t done_bytes, uint64_t all_bytes) {
      progress.Update(done_bytes, all_bytes);
    });
  }
  for (const std::string& damage : damages) PrintError(absl::StrCat(damage, "\n"));
  if (!status.ok() && damages.empty()) return Fail(status);
  Print(absl::StrCat("{", counts, KeysField(opened), ",\"live_bytes\":",
                     opened.store->counters().live_bytes, ",\"damages\":", damages.size(), "}\n"));
  return damages.empty() ? Exit::kDone : Exit::kDamaged;
}

Exit StoreVerify(const StoreTask& task) {
  return WithStore(task, Access::kRead, [&task](const OpenedStore& opened) {
    return VerifyAndPrint(task.program, opened, "");
  });
}

Exit StoreCompact(const StoreTask& task) {
  return WithStore(task, Access::kWrite, [&task](const OpenedStore& opened) {
    const uint64_t bytes_before = opened.store->counters().store_bytes;
    absl::Status status;
    {
      Progress progress(task.program.clock, task.program.terminal, "compact");
      status = opened.compact([&progress](uint64_t done_bytes, uint64_t all_bytes) {
        progress.Update(done_bytes, all_bytes);
      });
    }
    if (!status.ok()) return Fail(status);
    const store::StoreCounters counters = opened.store->counters();
    Print(absl::StrCat(
        "{", KeysField(opened), ",\"live_bytes\":", counters.live_bytes,
        ",\"dead_bytes\":", counters.dead_bytes, ",\"store_bytes\":", counters.store_bytes,
        ",\"store_bytes_before\":", bytes_before, ",\"segments\":", counters.segments, "}\n"));
    return Exit::kDone;
  });
}

}  // namespace pure::server
