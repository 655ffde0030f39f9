// `pure store put`: a file becomes a document's next revision.

#include <cstdio>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "platforms/server/load_module.h"
#include "platforms/server/store_verbs.h"

namespace pure::server {
namespace {

absl::StatusOr<std::string> ReadAll(const std::string& path) {
  std::FILE* const file = path == "-" ? stdin : std::fopen(UserPath(path).c_str(), "rbe");
  if (file == nullptr) return absl::NotFoundError(absl::StrCat(path, ": it can not be opened"));
  std::string bytes;
  char chunk[65536];
  size_t count;
  while ((count = std::fread(chunk, 1, sizeof(chunk), file)) > 0) bytes.append(chunk, count);
  const bool failed = std::ferror(file) != 0;
  if (file != stdin) std::fclose(file);
  if (failed) return absl::UnavailableError(absl::StrCat(path, ": it can not be read"));
  return bytes;
}

}  // namespace

Exit StorePut(const StoreTask& task) {
  return WithStore(task, Access::kWrite, [&](const OpenedStore& opened) {
    const Bytes key = task.rest[0];
    const absl::StatusOr<std::string> bytes = ReadAll(task.rest[1]);
    if (!bytes.ok()) return Fail(bytes.status());
    const std::unique_ptr<store::StoreHandle> handle = opened.store->NewHandle();
    if (handle == nullptr) return Fail(StatusOfResult(Result::kAllocation, key));
    handle->TakeLook();
    store::Found found;
    Result result = handle->Peek(key, &found);
    if (result == Result::kOk) result = handle->Stage(key, found.revision, {Bytes(*bytes)});
    if (result == Result::kOk) result = handle->Commit();
    if (result != Result::kOk) return Fail(StatusOfResult(result, key));
    Print(
        absl::StrCat("{\"key\":\"", key, "\",\"revision\":", handle->staged()[0].revision, "}\n"));
    return Exit::kDone;
  });
}

}  // namespace pure::server
