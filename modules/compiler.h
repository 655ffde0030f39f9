#pragma once

// Compiles a checked tree into a plan. Reports what is too large to run: steps, instructions.

#include "modules/ast.h"
#include "modules/checker.h"
#include "modules/diagnostics.h"
#include "modules/plan.h"

namespace pure::modules {

// Fills everything of *plan but `hash`. REQUIRES: nothing was reported so far.
void Compile(const Ast& ast, Checked checked, Diagnostics* diagnostics, Plan* plan);

}  // namespace pure::modules
