#pragma once

// Reader: answers views on the thread of a connection while the owner runs events. They are in no
// burst and wait for no save; what they show is never older than an answer that was sent before
// they were asked.
//
// Thread: one thread's. Lifetime: borrows its parts for its own life.

#include "absl/base/attributes.h"
#include "executor/job.h"
#include "modules/kept_pages.h"
#include "modules/module.h"
#include "modules/published_look.h"
#include "modules/published_views.h"
#include "runtime/budget.h"

namespace pure::executor {

class Reader {
 public:
  Reader(const modules::Module* module ABSL_ATTRIBUTE_LIFETIME_BOUND,
         const modules::PublishedLook* published ABSL_ATTRIBUTE_LIFETIME_BOUND,
         Budget* budget ABSL_ATTRIBUTE_LIFETIME_BOUND);

  // Whether it can answer this.
  bool Reads(const Route& route) const;

  // REQUIRES: Reads(job.route).
  void Apply(const Job& job, Applied* applied);

  // Gives back the budget of answers that are kept to be lent again, and keeps none any more.
  void StopKeeping() { kept_.Close(); }

 private:
  const modules::Module& module_;
  modules::KeptPages kept_;
  modules::PublishedViews views_;
};

}  // namespace pure::executor
