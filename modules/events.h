#pragma once

// Events: runs inputs and views on states that it owns. An input that fails leaves no trace.
//
// Thread: one thread's, the owner's. Lifetime: borrows its parts for its own life.

#include <cstdint>
#include <vector>

#include "absl/base/attributes.h"
#include "modules/arguments.h"
#include "modules/kept_pages.h"
#include "modules/module.h"
#include "modules/plan.h"
#include "modules/reply.h"
#include "modules/rows/rows.h"
#include "modules/runner.h"
#include "modules/states.h"
#include "modules/views.h"

namespace pure::modules {

class Events {
 public:
  Events(const Module* module ABSL_ATTRIBUTE_LIFETIME_BOUND,
         States* states ABSL_ATTRIBUTE_LIFETIME_BOUND,
         KeptPages* kept ABSL_ATTRIBUTE_LIFETIME_BOUND);

  // As App::ApplyHandler.
  void Apply(uint16_t handler, const Moment& moment, const Arguments& arguments, Reply* reply);

 private:
  void RunInput(uint16_t input, const Moment& moment, const Arguments& arguments, Reply* reply);
  Seen SeenBy(const PlanHandler& view) const;

  const Plan& plan_;
  States* const states_;
  Runner runner_;
  Views views_;
  std::vector<Rows> before_;  // of the event at hand
};

}  // namespace pure::modules
