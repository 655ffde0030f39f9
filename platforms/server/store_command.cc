// `pure store VERB DIR`: finds the verb, checks how it was called, and opens the store for it.

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "platforms/server/load_module.h"
#include "platforms/server/store_verbs.h"
#include "platforms/server/stored_module.h"
#include "runtime/key.h"

namespace pure::server {
namespace {

struct Verb {
  Bytes name;
  Bytes arguments;     // as the usage shows them, behind DIR
  size_t least, most;  // arguments behind the directory
  bool takes_key;      // as the first of them
  Exit (*run)(const StoreTask& task);
};

constexpr Verb kVerbs[] = {
    {"stat", "", 0, 0, false, StoreStat},
    {"verify", "", 0, 0, false, StoreVerify},
    {"list", " [PREFIX]", 0, 1, false, StoreList},
    {"get", " KEY", 1, 1, true, StoreGet},
    {"put", " KEY FILE", 2, 2, true, StorePut},
    {"dump", "", 0, 0, false, StoreDump},
    {"module", "", 0, 0, false, StoreModule},
    {"backup", " DEST", 1, 1, false, StoreBackup},
    {"restore", " DEST", 1, 1, false, StoreRestore},
    {"compact", "", 0, 0, false, StoreCompact},
};

std::string Usage() {
  std::string names;
  for (const Verb& verb : kVerbs) absl::StrAppend(&names, names.empty() ? "" : "|", verb.name);
  return absl::StrCat("store ", names, " DIR [...]; see pure help store");
}

}  // namespace

Exit StoreTool(const Program& program, Arguments arguments) {
  if (arguments.empty()) return FailUsage(Usage(), "store needs a verb");
  const Bytes name = arguments[0];
  for (const Verb& verb : kVerbs) {
    if (verb.name != name) continue;
    const std::string usage = absl::StrCat("store ", name, " DIR", verb.arguments);
    if (arguments.size() < 2 + verb.least || arguments.size() > 2 + verb.most) {
      return FailUsage(usage, absl::StrCat("store ", name, ": wrong number of arguments"));
    }
    const Arguments rest = arguments.subspan(2);
    if (verb.takes_key && !IsKey(rest[0])) {
      return FailUsage(usage, absl::StrCat(rest[0], ": a key is 1 to 64 of A-Z a-z 0-9 - _"));
    }
    return verb.run({program, UserPath(arguments[1]), rest});
  }
  return FailUsage(Usage(), absl::StrCat(name, ": no such verb"));
}

Exit WithStore(const StoreTask& task, Access access,
               absl::FunctionRef<Exit(const OpenedStore& opened)> verb) {
  absl::StatusOr<OpenedStore> opened =
      task.program.open_store({.directory = task.directory, .read_only = access == Access::kRead});
  if (!opened.ok()) return Fail(opened.status());
  const Exit exit = verb(*opened);
  const absl::Status closed = opened->Close();
  if (opened->store->state() == store::StoreState::kPoisoned) {
    return Fail(absl::AbortedError(opened->store->failure().message()));
  }
  return exit == Exit::kDone && !closed.ok() ? Fail(closed) : exit;
}

absl::Status StatusOfResult(Result result, Bytes what) {
  const Bytes name = ResultName(result);
  if (result == Result::kStorage) {
    return absl::DataLossError(absl::StrCat(what, ": the stored bytes are damaged (", name, ")"));
  }
  return absl::UnavailableError(absl::StrCat(what, ": ", name));
}

std::string KeysField(const OpenedStore& opened) {
  return absl::StrCat("\"keys\":", opened.store->counters().keys);
}

}  // namespace pure::server
