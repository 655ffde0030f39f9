#pragma once

// Program: what the commands of `pure` share: where they print, how they end, and the concrete
// parts that main names.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "platforms/server/progress.h"
#include "platforms/server/serve_options.h"
#include "runtime/bytes.h"
#include "runtime/port.h"
#include "store/store.h"

namespace pure::server {

// The exit statuses of the contract (docs/serving.md).
enum class Exit : int {
  kDone = 0,
  kFailed = 1,
  kUsage = 2,
  kDamaged = 3,
  kSyncFailed = 4,
};

using ProgressFunction = std::function<void(uint64_t done_bytes, uint64_t all_bytes)>;

// A store as a command needs it.
struct OpenedStore {
  std::unique_ptr<store::Store> store;
  // Reads every stored byte; appends a line for each damage ("segment N offset M key K: what"). OK:
  // all were read.
  std::function<absl::Status(std::vector<std::string>* damages, const ProgressFunction&)> verify;
  // Gives back the space of what was replaced.
  std::function<absl::Status(const ProgressFunction&)> compact;
  std::shared_ptr<void> background;  // its thread; null: none

  // Ends the background work, then closes.
  absl::Status Close() {
    background.reset();
    return store->Close();
  }
};

struct StoreRequest {
  std::string directory;
  bool create = false;     // make it when missing
  bool read_only = false;  // change no byte
  Verify verify = Verify::kAlways;
  // Called once, by any thread, when a sync failed and the store takes no write any more.
  std::function<void()> on_failed_sync = nullptr;
};

struct CopyRequest {
  std::string source;
  std::string destination;  // made when missing; else it must be empty
  bool live = false;        // a server may have the source open
};

struct CopiedStore {
  uint64_t segments = 0;
  uint64_t frames = 0;
  uint64_t bytes = 0;  // of the frames
};

struct Program {
  std::string_view version;
  std::vector<std::string_view> transports;  // that are linked, the default first
  Clock* clock;
  Entropy* entropy;
  Memory* memory;
  Terminal terminal;  // stderr, if it is one
  // Shows its progress on the terminal. DataLoss: the store is damaged and was not changed.
  std::function<absl::StatusOr<OpenedStore>(const StoreRequest&)> open_store;
  // DataLoss: the source is damaged. Aborted: a sync of the destination failed. After any error
  // there is no store at the destination that was not checked.
  std::function<absl::StatusOr<CopiedStore>(const CopyRequest&, const ProgressFunction&)>
      copy_store;
};

using Arguments = absl::Span<const char* const>;  // behind the command's name

// Prints to stdout or stderr; all of it, or the process ends: nobody can be told otherwise.
void Print(Bytes text);
void PrintError(Bytes text);

// "pure: " and the message, to stderr; the exit status that a failure of this kind has: DataLoss is
// damage, Aborted a failed sync.
Exit Fail(const absl::Status& status);
// The same for a wrong command line, with where to read on.
Exit FailUsage(Bytes command, Bytes message);

// The commands.
Exit Serve(const Program& program, Arguments arguments);
Exit Check(const Program& program, Arguments arguments);
Exit Test(const Program& program, Arguments arguments);
Exit StoreTool(const Program& program, Arguments arguments);
Exit Help(const Program& program, Arguments arguments);
Exit Version(const Program& program, Arguments arguments);

}  // namespace pure::server
