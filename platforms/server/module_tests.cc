#include "platforms/server/module_tests.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "platforms/server/program.h"
#include "store/memory_store.h"

namespace pure::server {

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

}  // namespace pure::server
