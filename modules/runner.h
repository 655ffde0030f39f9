#pragma once

// Runner: runs one input or view over states that it is given, and makes its answer.
//
// Thread: one thread's. Lifetime: borrows the module for its own life; answers outlive it. Cost: an
// answer is one allocation.

#include <cstdint>
#include <string>

#include "absl/base/attributes.h"
#include "absl/types/span.h"
#include "modules/arena.h"
#include "modules/arguments.h"
#include "modules/machine.h"
#include "modules/module.h"
#include "modules/plan.h"
#include "modules/reply.h"
#include "modules/rows/rows.h"
#include "runtime/result.h"

namespace pure::modules {

class Runner {
 public:
  explicit Runner(const Module* module ABSL_ATTRIBUTE_LIFETIME_BOUND);

  // Runs handler `index` (into Module::handlers()). `commit`: of the states, as the handler may
  // read it. What an input makes of the states is in `states` afterwards, also when it failed.
  // Fills the reply's result, detail, body, location and content type; results as of App::Apply.
  void Run(uint16_t index, const Moment& moment, uint64_t commit, const Arguments& arguments,
           absl::Span<Rows> states, Reply* reply);

 private:
  Result Answer(const PlanHandler& handler, const Ending& ending, Reply* reply);

  const Plan& plan_;
  Arena arena_;
  Machine machine_;
  std::string json_;
};

}  // namespace pure::modules
