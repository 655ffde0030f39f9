// The `pure` binary: names the concrete parts and hands the command line to a command.

#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "platforms/linux/check_reporter.h"
#include "platforms/linux/clock.h"
#include "platforms/linux/descriptor_limit.h"
#include "platforms/linux/entropy.h"
#include "platforms/linux/memory.h"
#include "platforms/linux/standard_descriptors.h"
#include "platforms/server/local_stores.h"
#include "platforms/server/program.h"

namespace pure::server {
namespace {

constexpr std::string_view kVersion = "0.1.0";

Exit Dispatch(const Program& program, Arguments arguments) {
  const Bytes command = arguments.empty() ? Bytes("help") : Bytes(arguments[0]);
  const Arguments rest = arguments.empty() ? arguments : arguments.subspan(1);
  if (command == "serve") return Serve(program, rest);
  if (command == "check") return Check(program, rest);
  if (command == "test") return Test(program, rest);
  if (command == "store") return StoreTool(program, rest);
  if (command == "version" || command == "--version") return Version(program, rest);
  if (command == "help" || command == "--help") return Help(program, rest);
  return FailUsage("serve|check|store|version|help", absl::StrCat(command, ": no such command"));
}

Exit Main(int argc, char** argv) {
  if (!HoldStandardDescriptors()) return Exit::kFailed;
  InstallCheckReporter();
  (void)RaiseDescriptorLimit();  // else what was allowed has to do
  LinuxClock clock;
  HeapMemory memory;
  LinuxEntropy entropy;
  Program program;
  program.version = kVersion;
  program.transports = {"epoll"};
  program.entropy = &entropy;
  program.clock = &clock;
  program.memory = &memory;
  if (isatty(STDERR_FILENO) == 1) program.terminal = PrintError;
  program.open_store = [&](const StoreRequest& request) {
    return OpenLocalStore(request, &entropy, &clock, program.terminal);
  };
  program.copy_store = CopyLocalStore;
  return Dispatch(program, Arguments(argv + 1, static_cast<size_t>(argc > 0 ? argc - 1 : 0)));
}

}  // namespace
}  // namespace pure::server

int main(int argc, char** argv) { return static_cast<int>(pure::server::Main(argc, argv)); }
