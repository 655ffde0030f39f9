#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "platforms/linux/signals.h"
#include "platforms/server/load_module.h"
#include "platforms/server/passed_socket.h"
#include "platforms/server/program.h"
#include "platforms/server/server.h"
#include "platforms/server/stored_module.h"
#include "platforms/server/token_access.h"

// `pure serve MODULE`: start, wait for signals, stop.

namespace pure::server {
namespace {

std::string StartLine(const Server& server, const ServeOptions& options,
                      const modules::Module& module) {
  return absl::StrCat("{\"port\":", server.port(), ",\"threads\":", options.threads,
                      ",\"transport\":\"", server.transport_name(), "\",\"storage\":\"",
                      store::kStorageName, "\",\"module\":\"", module.name(),
                      "\",\"version\":", module.version(),
                      ",\"owner\":", server.has_owner() ? "true" : "false", "}\n");
}

// For a person at a terminal.
std::string Greeting(const Server& server, const ServeOptions& options) {
  std::string where;
  switch (options.listen.family) {
    case transport::ListenAddress::Family::kIpv4:
      where = absl::StrCat("http://", options.listen.address, ":", server.port(), "/");
      break;
    case transport::ListenAddress::Family::kIpv6:
      where = absl::StrCat("http://[", options.listen.address, "]:", server.port(), "/");
      break;
    case transport::ListenAddress::Family::kUnix:
      where = absl::StrCat("unix:", options.listen.address);
      break;
    case transport::ListenAddress::Family::kDescriptor:
      where = "the passed socket";
      break;
  }
  return absl::StrCat("Serving ", where, " over ", server.transport_name(), " from ", options.store,
                      "; Ctrl-C stops it.\n");
}

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

// Waits for signals until the server is asked to stop, and then until its threads have ended.
void WaitForEnd(SignalWaiter* signals, const std::atomic<bool>& failed, TokenAccess* access,
                Server* server) {
  for (;;) {
    const SignalEvent event = signals->Wait();
    if (event == SignalEvent::kStop || failed.load()) break;
    if (event != SignalEvent::kReload) continue;
    const absl::Status reloaded = access->Reload();
    if (!reloaded.ok()) {
      PrintError(absl::StrCat("pure: the tokens stay as they were: ", reloaded.message(), "\n"));
    }
  }
  server->Stop();
  // A second signal ends the process at once, which the store survives as it survives a power cut.
  constexpr int64_t kLookMs = 20;
  while (!server->Ended()) {
    if (signals->WaitFor(kLookMs) == SignalEvent::kStop) _exit(static_cast<int>(Exit::kFailed));
  }
}

// False: the save of it failed in a way that ends the server.
bool KeepModule(Bytes text, const ServeOptions& options, store::Store* store) {
  const Result kept = KeepModuleText(text, store);
  if (kept == Result::kOk) return true;
  PrintError(absl::StrCat("pure: the store does not keep the module's text (", ResultName(kept),
                          "); its documents are served all the same\n"));
  return store->state() == store::StoreState::kOpen ||
         options.on_sync_error == OnSyncError::kReadonly;
}

Exit FailSync(const store::Store& store) {
  PrintError(absl::StrCat("pure: ", store.failure().message(), "\n"));
  return Exit::kSyncFailed;
}

Exit Run(const Program& program, const ServeOptions& options, const LoadedModule& loaded,
         TokenAccess* access, SignalWaiter* signals) {
  std::atomic<bool> failed{false};
  absl::StatusOr<OpenedStore> opened = program.open_store(
      {.directory = options.store, .create = true, .verify = options.verify, .on_failed_sync = [&] {
         if (options.on_sync_error != OnSyncError::kExit) return;
         if (!failed.exchange(true)) signals->Interrupt();
       }});
  if (!opened.ok()) return Fail(opened.status());
  store::Store& store = *opened->store;
  std::unique_ptr<modules::States> states;
  if (loaded.module->sharded()) {
    if (!KeepModule(loaded.text, options, &store)) return FailSync(store);
  } else {
    const absl::Status started =
        modules::States::Open(*loaded.module, loaded.text, &store, &states);
    if (!started.ok()) {
      if (store.state() != store::StoreState::kOpen) return FailSync(store);
      (void)opened->Close();
      const Exit exit = Fail(started);
      const bool module = started.code() == absl::StatusCode::kFailedPrecondition ||
                          started.code() == absl::StatusCode::kInvalidArgument;
      return module ? Exit::kUsage : exit;
    }
  }
  Server server({.clock = program.clock,
                 .memory = program.memory,
                 .module = loaded.module.get(),
                 .store = &store,
                 .states = states.get(),
                 .entropy = program.entropy,
                 .access = access},
                options);
  if (absl::Status status = server.Start(); !status.ok()) {
    (void)opened->Close();
    return Fail(status);
  }
  // Each thread has its own; one more would keep clients waiting in the queue after the stop.
  if (options.listen.descriptor >= 0) close(options.listen.descriptor);
  Print(StartLine(server, options, *loaded.module));
  if (isatty(STDERR_FILENO) == 1) PrintError(Greeting(server, options));
  WaitForEnd(signals, failed, access, &server);
  server.Join();
  const absl::Status closed = opened->Close();
  PrintError(absl::StrCat(server.statistics().Json(), "\n"));
  if (failed.load()) return FailSync(store);
  return closed.ok() ? Exit::kDone : Fail(closed);
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
  return Run(program, *options, loaded, &access, &signals);
}

}  // namespace pure::server
