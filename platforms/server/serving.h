#pragma once

// Serving: a module over its store, from the opening of the store to the end of the process; with
// --watch, one module after the other.
//
// Thread: main's. Lifetime: borrows its parts for its own life.

#include <atomic>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "modules/states.h"
#include "platforms/linux/signals.h"
#include "platforms/server/file_watch.h"
#include "platforms/server/load_module.h"
#include "platforms/server/program.h"
#include "platforms/server/serve_options.h"
#include "platforms/server/server.h"
#include "platforms/server/token_access.h"
#include "transport/transport.h"

namespace pure::server {

class Serving {
 public:
  Serving(const Program& program, const ServeOptions& options, LoadedModule loaded,
          TokenAccess* access, SignalWaiter* signals);

  // Until a signal or a failed sync ends it.
  Exit Run();

 private:
  Exit RunOnStore();
  absl::Status OpenStates();
  Exit FailStates(const absl::Status& status);
  std::unique_ptr<Server> StartServer(absl::Status* status);
  bool AwaitChange();
  bool TakeChange();
  bool EndServer(Server* server, bool stops);
  Exit ReplaceModule();
  Exit Stopped(const Server& server);
  Exit FailSync();

  const Program& program_;
  const ServeOptions& options_;
  TokenAccess* const access_;
  SignalWaiter* const signals_;
  LoadedModule loaded_;
  LoadedModule next_;  // checked and tested, to be served instead
  FileWatch file_;
  OpenedStore opened_;
  std::unique_ptr<modules::States> states_;          // null: the module has none
  std::unique_ptr<transport::Transport> listening_;  // with --watch
  std::atomic<bool> failed_{false};                  // a sync did, and that ends the server
};

}  // namespace pure::server
