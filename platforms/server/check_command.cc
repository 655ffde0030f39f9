#include <vector>

#include "absl/strings/str_cat.h"
#include "modules/module.h"
#include "platforms/server/load_module.h"
#include "platforms/server/module_tests.h"
#include "platforms/server/program.h"

namespace pure::server {
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
