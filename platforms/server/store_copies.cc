// `pure store backup` and `restore`: copies of a whole store.

#include <string>

#include "absl/strings/str_cat.h"
#include "platforms/server/load_module.h"
#include "platforms/server/store_verbs.h"

namespace pure::server {
namespace {

absl::StatusOr<CopiedStore> Copy(const StoreTask& task, Bytes verb, bool live) {
  Progress progress(task.program.clock, task.program.terminal, std::string(verb));
  return task.program.copy_store(
      {.source = task.directory, .destination = UserPath(task.rest[0]), .live = live},
      [&progress](uint64_t done_bytes, uint64_t all_bytes) {
        progress.Update(done_bytes, all_bytes);
      });
}

std::string Counts(const CopiedStore& copied) {
  return absl::StrCat("\"segments\":", copied.segments, ",\"frames\":", copied.frames,
                      ",\"bytes\":", copied.bytes);
}

}  // namespace

Exit StoreBackup(const StoreTask& task) {
  const absl::StatusOr<CopiedStore> copied = Copy(task, "backup", true);
  if (!copied.ok()) return Fail(copied.status());
  Print(absl::StrCat("{", Counts(*copied), "}\n"));
  return Exit::kDone;
}

Exit StoreRestore(const StoreTask& task) {
  const absl::StatusOr<CopiedStore> copied = Copy(task, "restore", false);
  if (!copied.ok()) return Fail(copied.status());
  const StoreTask restored{task.program, UserPath(task.rest[0]), {}};
  return WithStore(restored, Access::kRead, [&](const OpenedStore& opened) {
    return VerifyAndPrint(task.program, opened, absl::StrCat(Counts(*copied), ","));
  });
}

}  // namespace pure::server
