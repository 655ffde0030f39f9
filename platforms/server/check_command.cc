#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "modules/module.h"
#include "modules/module_tester.h"
#include "platforms/server/load_module.h"
#include "platforms/server/program.h"
#include "store/memory_store.h"

namespace pure::server {
namespace {

std::vector<modules::TestOutcome> RunTests(const LoadedModule& loaded) {
  return modules::RunTests(*loaded.module, loaded.text,
                           [] { return std::make_unique<store::MemoryStore>(); });
}

// Failures as the errors of a module are shown; how many there are.
size_t PrintFailures(const std::string& path, const LoadedModule& loaded,
                     const std::vector<modules::TestOutcome>& outcomes) {
  size_t failed = 0;
  for (const modules::TestOutcome& outcome : outcomes) {
    if (outcome.passed) continue;
    ++failed;
    modules::Error error = outcome.error;
    error.what = absl::StrCat("test \"", outcome.name, "\": ", error.what);
    PrintError(modules::FormatErrors(path, loaded.text, {error}));
  }
  return failed;
}

}  // namespace

Exit Check(const Program&, Arguments arguments) {
  if (arguments.size() != 1) return FailUsage("check FILE", "check takes one module file");
  LoadedModule loaded;
  const Exit exit = LoadModule(arguments[0], &loaded);
  if (exit != Exit::kDone) return exit;
  const std::vector<modules::TestOutcome> outcomes = RunTests(loaded);
  const size_t failed = PrintFailures(arguments[0], loaded, outcomes);
  Print(absl::StrCat(loaded.module->Describe(outcomes.size(), failed), "\n"));
  return failed == 0 ? Exit::kDone : Exit::kUsage;
}

Exit Test(const Program&, Arguments arguments) {
  if (arguments.size() != 1) return FailUsage("test FILE", "test takes one module file");
  LoadedModule loaded;
  const Exit exit = LoadModule(arguments[0], &loaded);
  if (exit != Exit::kDone) return exit;
  const std::vector<modules::TestOutcome> outcomes = RunTests(loaded);
  for (const modules::TestOutcome& outcome : outcomes) {
    Print(absl::StrCat(outcome.passed ? "passed  " : "failed  ", outcome.name, "\n"));
  }
  const size_t failed = PrintFailures(arguments[0], loaded, outcomes);
  Print(absl::StrCat(outcomes.size() - failed, " passed, ", failed, " failed\n"));
  return failed == 0 ? Exit::kDone : Exit::kFailed;
}

}  // namespace pure::server
