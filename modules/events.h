#pragma once

// Events: runs inputs and views on states. An input that faults leaves no trace.
//
// Thread: one thread's, the owner's. Lifetime: borrows module and states for its own life; answers
// outlive what they were made of. Cost: an answer is one allocation.

#include <cstdint>

#include "absl/base/attributes.h"
#include "modules/arena.h"
#include "modules/arguments.h"
#include "modules/machine.h"
#include "modules/module.h"
#include "modules/reply.h"
#include "modules/states.h"
#include "runtime/bytes.h"

namespace pure::modules {

class Events {
 public:
  Events(const Module* module ABSL_ATTRIBUTE_LIFETIME_BOUND,
         States* states ABSL_ATTRIBUTE_LIFETIME_BOUND);

  // As App::ApplyHandler.
  void Apply(uint16_t handler, const Moment& moment, const Arguments& arguments, Reply* reply);

 private:
  uint64_t RevisionOf(const PlanHandler& view) const;
  Result Answer(const PlanHandler& handler, const Ending& ending, Reply* reply);

  const Plan& plan_;
  States* const states_;
  const uint64_t module_bits_;
  Arena arena_;
  Machine machine_;
  std::vector<Rows> before_;  // of the event at hand
  std::string json_;
};

}  // namespace pure::modules
