#pragma once

// ModuleTester: runs the tests that stand in a module, each on a new store of its own.
//
// Thread: the caller's. Time stands still in a test, at the first of January 2026, and `random`
// counts up.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "modules/module.h"
#include "runtime/bytes.h"
#include "store/store.h"

namespace pure::modules {

struct TestOutcome {
  std::string name;
  bool passed = true;
  Error error;  // where it failed and why; unset when it passed
};

// `text`: of the module. `new_store`: makes an empty one.
std::vector<TestOutcome> RunTests(const Module& module, Bytes text,
                                  absl::FunctionRef<std::unique_ptr<store::Store>()> new_store);

}  // namespace pure::modules
