#pragma once

// The tests that stand in a module, as the commands run them.

#include <cstddef>
#include <string>
#include <vector>

#include "modules/module_tester.h"
#include "platforms/server/load_module.h"

namespace pure::server {

// Each on an empty store in memory.
std::vector<modules::TestOutcome> RunTests(const LoadedModule& loaded);

// Prints failures to stderr as the errors of a module are shown; how many there are.
size_t PrintFailures(const std::string& path, const LoadedModule& loaded,
                     const std::vector<modules::TestOutcome>& outcomes);

}  // namespace pure::server
