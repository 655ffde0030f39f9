#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "platforms/server/load_module.h"
#include "platforms/server/program.h"
#include "runtime/key.h"

// `pure store VERB DIR`: tools on a store that no server has open.

namespace pure::server {
namespace {

constexpr Bytes kUsage = "store stat|verify|list|get|put DIR [...]; see pure help store";

absl::Status Failed(Result result, Bytes what) {
  const Bytes name = ResultName(result);
  if (result == Result::kStorage) {
    return absl::DataLossError(absl::StrCat(what, ": the stored bytes are damaged (", name, ")"));
  }
  return absl::UnavailableError(absl::StrCat(what, ": ", name));
}

Exit Stat(const OpenedStore& opened) {
  const store::StoreCounters counters = opened.store->counters();
  Print(absl::StrCat("{\"keys\":", counters.keys, ",\"live_bytes\":", counters.live_bytes,
                     ",\"dead_bytes\":", counters.dead_bytes, ",\"store_bytes\":",
                     counters.store_bytes, ",\"segments\":", counters.segments, "}\n"));
  return Exit::kDone;
}

Exit Verify(const OpenedStore& opened) {
  std::vector<std::string> damages;
  const absl::Status status = opened.verify(&damages);
  for (const std::string& damage : damages) PrintError(absl::StrCat(damage, "\n"));
  if (!status.ok() && damages.empty()) return Fail(status);
  const store::StoreCounters counters = opened.store->counters();
  Print(absl::StrCat("{\"keys\":", counters.keys, ",\"live_bytes\":", counters.live_bytes,
                     ",\"damages\":", damages.size(), "}\n"));
  return damages.empty() ? Exit::kDone : Exit::kDamaged;
}

Exit List(const OpenedStore& opened, Bytes prefix) {
  const Result result =
      opened.store->List(prefix, [](Bytes key, uint64_t revision, size_t size_bytes) {
        Print(absl::StrCat(key, "\t", revision, "\t", size_bytes, "\n"));
        return true;
      });
  return result == Result::kOk ? Exit::kDone : Fail(Failed(result, "list"));
}

Exit Get(const OpenedStore& opened, Bytes key) {
  const std::unique_ptr<store::StoreHandle> handle = opened.store->NewHandle();
  if (handle == nullptr) return Fail(absl::ResourceExhaustedError("no memory for a store handle"));
  handle->TakeLook();
  store::Found found;
  const Result result = handle->Find(key, &found);
  if (result != Result::kOk) return Fail(Failed(result, key));
  if (!found.present)
    return Fail(absl::NotFoundError(absl::StrCat(key, ": there is no such document")));
  for (const Bytes span : found.value.spans()) Print(span);
  return Exit::kDone;
}

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

Exit Put(const OpenedStore& opened, Bytes key, const std::string& path) {
  const absl::StatusOr<std::string> bytes = ReadAll(path);
  if (!bytes.ok()) return Fail(bytes.status());
  const std::unique_ptr<store::StoreHandle> handle = opened.store->NewHandle();
  if (handle == nullptr) return Fail(absl::ResourceExhaustedError("no memory for a store handle"));
  handle->TakeLook();
  store::Found found;
  Result result = handle->Peek(key, &found);
  if (result == Result::kOk) result = handle->Stage(key, found.revision, {Bytes(*bytes)});
  if (result == Result::kOk) result = handle->Commit();
  if (result != Result::kOk) return Fail(Failed(result, key));
  Print(absl::StrCat("{\"key\":\"", key, "\",\"revision\":", handle->staged()[0].revision, "}\n"));
  return Exit::kDone;
}

Exit Run(const OpenedStore& opened, Bytes verb, Arguments rest) {
  if (verb == "stat") return Stat(opened);
  if (verb == "verify") return Verify(opened);
  if (verb == "list") return List(opened, rest.empty() ? Bytes() : Bytes(rest[0]));
  if (verb == "get") return Get(opened, rest[0]);
  return Put(opened, rest[0], rest[1]);
}

}  // namespace

Exit StoreTool(const Program& program, Arguments arguments) {
  if (arguments.empty()) return FailUsage(kUsage, "store needs a verb");
  struct Verb {
    Bytes name;
    size_t least, most;  // arguments behind the directory
  };
  constexpr Verb kVerbs[] = {
      {"stat", 0, 0}, {"verify", 0, 0}, {"list", 0, 1}, {"get", 1, 1}, {"put", 2, 2}};
  const Bytes name = arguments[0];
  for (const Verb& verb : kVerbs) {
    if (verb.name != name) continue;
    if (arguments.size() < 2 + verb.least || arguments.size() > 2 + verb.most) {
      return FailUsage(kUsage, absl::StrCat("store ", name, ": wrong number of arguments"));
    }
    const Arguments rest = arguments.subspan(2);
    if (verb.least > 0 && !IsKey(rest[0])) {
      return FailUsage(kUsage, absl::StrCat(rest[0], ": a key is 1 to 64 of A-Z a-z 0-9 - _"));
    }
    const bool writes = name == "put";
    absl::StatusOr<OpenedStore> opened =
        program.open_store({.directory = UserPath(arguments[1]), .read_only = !writes});
    if (!opened.ok()) return Fail(opened.status());
    const Exit exit = Run(*opened, name, rest);
    const absl::Status closed = opened->Close();
    return exit == Exit::kDone && !closed.ok() ? Fail(closed) : exit;
  }
  return FailUsage(kUsage, absl::StrCat(name, ": no such verb"));
}

}  // namespace pure::server
