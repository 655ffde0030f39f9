#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "platforms/server/program.h"

namespace pure::server {
namespace {

constexpr Bytes kHelp =
    R"(Pure serves a module, an app as a short text program, over HTTP from a durable store.

  pure serve MODULE [options]   serve it; pure serve --help lists the options
  pure check FILE               check a module: one JSON line, or every error of the file
  pure test FILE                run the tests that stand in a module
  pure store VERB DIR ...       tools on a store; pure help store
  pure version                  version and transports
  pure help [COMMAND]           this text, or more about a command

Exit status: 0 done, 1 failed, 2 wrong usage or a module that does not load, 3 the store is damaged,
4 a failed sync ended the server.
)";

constexpr Bytes kStoreHelp = R"(Tools on a store.

  pure store stat DIR           keys, live and dead bytes, segments, as JSON
  pure store verify DIR         reads every byte; names segment, offset and key of each damage
  pure store list DIR [PREFIX]  key, revision and size of each document
  pure store get DIR KEY        a document's bytes
  pure store put DIR KEY FILE   stores a file (- for standard input) as the document's next revision
  pure store dump DIR           each document as a line of JSON
  pure store module DIR         the text of the module that wrote the store
  pure store backup DIR DEST    copies the store and checks the copy, also while a server runs on it
  pure store restore DIR DEST   the same from a backup, which nobody may have open
  pure store compact DIR        gives back the space of what was replaced

DEST is made when it is missing; else it must be empty. But for backup no server may have the store
open. All but put and compact change no byte of it. Long work shows how far it is on a terminal.

Exit status: 0 done, 1 failed, 2 wrong usage, 3 the store is damaged, 4 a sync failed.
)";

constexpr Bytes kCheckHelp = R"(  pure check FILE

Prints one JSON line that describes the module, or every error as FILE:LINE:COL: reason with the
line and a caret (exit status 2). The module's tests are run; a failure is shown as an error.
)";

constexpr Bytes kTestHelp = R"(  pure test FILE

Runs the tests that stand in the module, each on a new store in memory, and prints a line for each,
then `N passed, N failed`. Exit status 1 when one failed, 2 when the module does not load.
)";

}  // namespace

Exit Help(const Program& program, Arguments arguments) {
  const Bytes command = arguments.empty() ? Bytes() : Bytes(arguments[0]);
  if (command == "serve") {
    Print(ServeHelp(program.transports));
  } else if (command == "store") {
    Print(kStoreHelp);
  } else if (command == "check") {
    Print(kCheckHelp);
  } else if (command == "test") {
    Print(kTestHelp);
  } else if (command.empty() || command == "help" || command == "version") {
    Print(kHelp);
  } else {
    return FailUsage("help [COMMAND]", absl::StrCat(command, ": no such command"));
  }
  return Exit::kDone;
}

Exit Version(const Program& program, Arguments arguments) {
  if (!arguments.empty()) return FailUsage("version", "version takes no arguments");
  Print(
      absl::StrCat("pure ", program.version, " (", absl::StrJoin(program.transports, ", "), ")\n"));
  return Exit::kDone;
}

}  // namespace pure::server
