#pragma once

// The verbs of `pure store`, and what they share. Private to the program.

#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "platforms/server/program.h"
#include "runtime/bytes.h"
#include "runtime/result.h"

namespace pure::server {

// What a verb was asked for.
struct StoreTask {
  const Program& program;
  std::string directory;
  Arguments rest;  // behind the directory; as many as the verb takes
};

enum class Access : uint8_t { kRead, kWrite };

// Opens the store, runs `verb` on it, and closes it. A failed sync decides the exit status.
Exit WithStore(const StoreTask& task, Access access,
               absl::FunctionRef<Exit(const OpenedStore& opened)> verb);

// A failure of the store's port, about `what`.
absl::Status StatusOfResult(Result result, Bytes what);

// Reads every byte, names each damage on stderr, and prints `counts` and what was found as one JSON
// line. `counts`: the first fields, or nothing.
Exit VerifyAndPrint(const Program& program, const OpenedStore& opened, Bytes counts);

// Figures of the store, with "keys" first: those of documents.
std::string KeysField(const OpenedStore& opened);

Exit StoreStat(const StoreTask& task);
Exit StoreList(const StoreTask& task);
Exit StoreGet(const StoreTask& task);
Exit StorePut(const StoreTask& task);
Exit StoreModule(const StoreTask& task);
Exit StoreDump(const StoreTask& task);
Exit StoreVerify(const StoreTask& task);
Exit StoreCompact(const StoreTask& task);
Exit StoreBackup(const StoreTask& task);
Exit StoreRestore(const StoreTask& task);

}  // namespace pure::server
