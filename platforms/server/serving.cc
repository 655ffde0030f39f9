#include "platforms/server/serving.h"

#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "platforms/server/module_tests.h"

namespace pure::server {
namespace {

constexpr int64_t kWatchMs = 200;  // between two looks at the module's file
constexpr int64_t kEndMs = 20;     // between two looks at a server that ends

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

void SayItStays(Bytes why) {
  PrintError(absl::StrCat(why, "pure: the module that is served stays as it was\n"));
}

}  // namespace

Serving::Serving(const Program& program, const ServeOptions& options, LoadedModule loaded,
                 TokenAccess* access, SignalWaiter* signals)
    : program_(program),
      options_(options),
      access_(access),
      signals_(signals),
      loaded_(std::move(loaded)),
      file_(UserPath(options.module)) {}

Exit Serving::Run() {
  absl::StatusOr<OpenedStore> opened =
      program_.open_store({.directory = options_.store,
                           .create = true,
                           .verify = options_.verify,
                           .on_failed_sync = [this] {
                             if (options_.on_sync_error != OnSyncError::kExit) return;
                             if (!failed_.exchange(true)) signals_->Interrupt();
                           }});
  if (!opened.ok()) return Fail(opened.status());
  opened_ = *std::move(opened);
  return RunOnStore();
}

Exit Serving::RunOnStore() {
  if (absl::Status status = OpenStates(); !status.ok()) return FailStates(status);
  absl::Status status;
  if (options_.watch) {
    auto listening = Server::Listen(options_);
    status = listening.status();
    if (listening.ok()) listening_ = *std::move(listening);
  }
  for (bool first = true;; first = false) {
    const std::unique_ptr<Server> server = status.ok() ? StartServer(&status) : nullptr;
    if (server == nullptr) {
      (void)opened_.Close();
      return Fail(status);
    }
    if (first) {
      // Each thread has its own; one more would keep clients waiting in the queue after the stop.
      if (options_.listen.descriptor >= 0) close(options_.listen.descriptor);
      Print(StartLine(*server, options_, *loaded_.module));
      if (isatty(STDERR_FILENO) == 1) PrintError(Greeting(*server, options_));
    }
    const bool changed = AwaitChange();
    if (!changed) listening_.reset();
    if (EndServer(server.get(), !changed)) return Stopped(*server);
    if (const Exit exit = ReplaceModule(); exit != Exit::kDone) return exit;
  }
}

// Where a module without states can not leave its text, its documents are served all the same.
absl::Status Serving::OpenStates() {
  states_.reset();
  absl::Status status =
      modules::States::Open(*loaded_.module, loaded_.text, opened_.store.get(), &states_);
  const bool not_saved = status.code() == absl::StatusCode::kResourceExhausted ||
                         status.code() == absl::StatusCode::kUnavailable;
  const bool serves = opened_.store->state() == store::StoreState::kOpen ||
                      options_.on_sync_error == OnSyncError::kReadonly;
  if (not_saved && loaded_.module->sharded() && serves) {
    PrintError(absl::StrCat("pure: ", status.message(), "; the documents are served without it\n"));
    status = absl::OkStatus();
  }
  if (loaded_.module->sharded()) states_.reset();
  return status;
}

Exit Serving::FailStates(const absl::Status& status) {
  if (opened_.store->state() != store::StoreState::kOpen) return FailSync();
  (void)opened_.Close();
  const Exit exit = Fail(status);
  const bool module = status.code() == absl::StatusCode::kFailedPrecondition ||
                      status.code() == absl::StatusCode::kInvalidArgument;
  return module ? Exit::kUsage : exit;
}

std::unique_ptr<Server> Serving::StartServer(absl::Status* status) {
  auto server = std::make_unique<Server>(Server::Parts{.clock = program_.clock,
                                                       .memory = program_.memory,
                                                       .module = loaded_.module.get(),
                                                       .store = opened_.store.get(),
                                                       .states = states_.get(),
                                                       .entropy = program_.entropy,
                                                       .access = access_,
                                                       .listening = listening_.get()},
                                         options_);
  *status = server->Start();
  return status->ok() ? std::move(server) : nullptr;
}

// Serves. True: `next_` is to be served from now on. False: it is to end.
bool Serving::AwaitChange() {
  for (;;) {
    const SignalEvent event = options_.watch ? signals_->WaitFor(kWatchMs) : signals_->Wait();
    if (event == SignalEvent::kStop || failed_.load()) return false;
    if (event == SignalEvent::kTimeout && file_.Changed() && TakeChange()) return true;
    if (event != SignalEvent::kReload) continue;
    const absl::Status reloaded = access_->Reload();
    if (!reloaded.ok()) {
      PrintError(absl::StrCat("pure: the tokens stay as they were: ", reloaded.message(), "\n"));
    }
  }
}

// Whether the file holds another module that passes its tests and carries on what is stored.
bool Serving::TakeChange() {
  LoadedModule next;
  if (LoadModule(options_.module, &next) != Exit::kDone) {
    SayItStays("");
    return false;
  }
  if (next.text == loaded_.text) return false;
  if (PrintFailures(options_.module, next, RunTests(next)) > 0) {
    SayItStays("");
    return false;
  }
  const absl::Status carried = modules::States::CheckCarried(*next.module, opened_.store.get());
  if (!carried.ok()) {
    SayItStays(absl::StrCat("pure: ", carried.message(), "\n"));
    return false;
  }
  next_ = std::move(next);
  return true;
}

// Waits for its threads. True: it ended because it was to stop, or was asked to meanwhile. A second
// signal ends the process at once, which the store survives as it survives a power cut.
bool Serving::EndServer(Server* server, bool stops) {
  if (stops) {
    server->Stop();
  } else {
    server->Retire();
  }
  while (!server->Ended()) {
    if (signals_->WaitFor(kEndMs) != SignalEvent::kStop) continue;
    if (stops) _exit(static_cast<int>(Exit::kFailed));
    stops = true;
  }
  server->Join();
  return stops || failed_.load();
}

// Nobody is served now: clients wait in the queue of the listener.
Exit Serving::ReplaceModule() {
  std::swap(loaded_, next_);
  absl::Status status = OpenStates();
  if (status.ok()) {
    PrintError(absl::StrCat("pure: ", loaded_.module->name(), " ", loaded_.module->version(),
                            " is served now\n"));
    return Exit::kDone;
  }
  SayItStays(absl::StrCat("pure: ", status.message(), "\n"));
  std::swap(loaded_, next_);
  status = OpenStates();
  return status.ok() ? Exit::kDone : FailStates(status);
}

Exit Serving::Stopped(const Server& server) {
  const absl::Status closed = opened_.Close();
  PrintError(absl::StrCat(server.statistics().Json(), "\n"));
  if (failed_.load()) return FailSync();
  return closed.ok() ? Exit::kDone : Fail(closed);
}

Exit Serving::FailSync() {
  PrintError(absl::StrCat("pure: ", opened_.store->failure().message(), "\n"));
  return Exit::kSyncFailed;
}

}  // namespace pure::server
