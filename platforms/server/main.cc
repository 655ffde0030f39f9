// The `pure` binary: names the concrete parts and hands the command line to a command.

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "platforms/linux/check_reporter.h"
#include "platforms/linux/clock.h"
#include "platforms/linux/descriptor_limit.h"
#include "platforms/linux/entropy.h"
#include "platforms/linux/memory.h"
#include "platforms/server/program.h"
#include "store/background.h"
#include "store/extent_store.h"
#include "store/posix/posix_files.h"

namespace pure::server {
namespace {

constexpr std::string_view kVersion = "0.1.0";

absl::Status VerifyStore(store::ExtentStore* store, std::vector<std::string>* damages) {
  store::VerifyReport report;
  const absl::Status status = store->Verify(&report);
  for (const store::Damage& damage : report.damages) {
    damages->push_back(absl::StrCat("segment ", damage.segment, " offset ", damage.offset, " key ",
                                    damage.key.empty() ? "-" : damage.key, ": ", damage.what));
  }
  return status;
}

absl::StatusOr<OpenedStore> OpenStore(const StoreRequest& request, Entropy* entropy) {
  store::OpenDirectoryOptions directory_options;
  directory_options.create = request.create;
  absl::StatusOr<std::unique_ptr<store::Directory>> directory =
      store::OpenDirectory(request.directory, directory_options);
  if (!directory.ok()) return directory.status();
  store::ExtentStoreOptions options;
  options.verify = request.verify == Verify::kAlways ? store::ExtentStoreOptions::Verify::kAlways
                                                     : store::ExtentStoreOptions::Verify::kFirst;
  options.read_only = request.read_only;
  options.entropy = entropy;
  absl::StatusOr<std::unique_ptr<store::ExtentStore>> store =
      store::ExtentStore::Open(*std::move(directory), options);
  if (!store.ok()) {
    return absl::Status(store.status().code(),
                        absl::StrCat(request.directory, ": ", store.status().message()));
  }
  store::ExtentStore* const extents = store->get();
  OpenedStore opened;
  opened.store = *std::move(store);
  opened.verify = [extents](std::vector<std::string>* damages) {
    return VerifyStore(extents, damages);
  };
  if (!request.read_only) opened.background = std::make_shared<store::Background>(extents);
  return opened;
}

Exit Dispatch(const Program& program, Arguments arguments) {
  const Bytes command = arguments.empty() ? Bytes("help") : Bytes(arguments[0]);
  const Arguments rest = arguments.empty() ? arguments : arguments.subspan(1);
  if (command == "serve") return Serve(program, rest);
  if (command == "check") return Check(program, rest);
  if (command == "store") return StoreTool(program, rest);
  if (command == "version" || command == "--version") return Version(program, rest);
  if (command == "help" || command == "--help") return Help(program, rest);
  return FailUsage("serve|check|store|version|help", absl::StrCat(command, ": no such command"));
}

Exit Main(int argc, char** argv) {
  InstallCheckReporter();
  (void)RaiseDescriptorLimit();  // else what was allowed has to do
  LinuxClock clock;
  HeapMemory memory;
  LinuxEntropy entropy;
  Program program;
  program.version = kVersion;
  program.transports = {"epoll"};
  program.clock = &clock;
  program.memory = &memory;
  program.open_store = [&entropy](const StoreRequest& request) {
    return OpenStore(request, &entropy);
  };
  return Dispatch(program, Arguments(argv + 1, static_cast<size_t>(argc > 0 ? argc - 1 : 0)));
}

}  // namespace
}  // namespace pure::server

int main(int argc, char** argv) { return static_cast<int>(pure::server::Main(argc, argv)); }
