#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "platforms/linux/signals.h"
#include "platforms/server/load_module.h"
#include "platforms/server/passed_socket.h"
#include "platforms/server/program.h"
#include "platforms/server/serve_options.h"
#include "platforms/server/serving.h"
#include "platforms/server/token_access.h"

// `pure serve MODULE`: what it is asked for, and what it needs before it serves.

namespace pure::server {
namespace {

// The socket of --listen systemd, with the rules of the address that it is bound to.
absl::Status TakePassedSocket(ServeOptions* options) {
  const absl::StatusOr<int> passed =
      PassedDescriptor(std::getenv("LISTEN_FDS"), std::getenv("LISTEN_PID"), getpid());
  if (!passed.ok()) return passed.status();
  const absl::StatusOr<transport::ListenAddress> bound = AddressOfSocket(*passed);
  if (!bound.ok()) return bound.status();
  options->listen.descriptor = *passed;
  options->loopback = IsLoopback(*bound);
  return CheckReach(*bound, !options->token_file.empty(), options->open);
}

}  // namespace

Exit Serve(const Program& program, Arguments arguments) {
  SignalWaiter signals;
  absl::StatusOr<ServeOptions> options = ParseServeOptions(arguments, program.transports);
  if (!options.ok()) return FailUsage("serve MODULE [--help]", options.status().message());
  if (options->help) {
    Print(ServeHelp(program.transports));
    return Exit::kDone;
  }
  LoadedModule loaded;
  if (const Exit exit = LoadModule(options->module, &loaded); exit != Exit::kDone) return exit;
  options->store = UserPath(options->store.empty() ? absl::StrCat(loaded.module->name(), ".store")
                                                   : options->store);
  if (options->listen.family == transport::ListenAddress::Family::kDescriptor) {
    if (absl::Status status = TakePassedSocket(&*options); !status.ok()) return Fail(status);
  }
  TokenAccess access(options->token_file.empty() ? "" : UserPath(options->token_file));
  if (absl::Status status = access.Reload(); !status.ok()) return Fail(status);
  return Serving(program, *options, std::move(loaded), &access, &signals).Run();
}

}  // namespace pure::server
