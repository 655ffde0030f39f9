#pragma once

// Views: answers views from states, and lends an answer again as long as nothing has changed that
// it shows.
//
// Thread: one thread's. Lifetime: borrows its parts for its own life; answers outlive what they
// were made of.

#include <cstdint>

#include "absl/base/attributes.h"
#include "absl/types/span.h"
#include "modules/arguments.h"
#include "modules/kept_pages.h"
#include "modules/look.h"
#include "modules/module.h"
#include "modules/plan.h"
#include "modules/reply.h"
#include "modules/rows/rows.h"
#include "modules/runner.h"

namespace pure::modules {

// What a view is made from.
struct Seen {
  absl::Span<Rows> states;      // none is changed
  uint64_t commit = 0;          // that they are or will be
  const Look* saved = nullptr;  // the newest save; null: the module has no states
  bool unsaved = false;         // `states` has what `saved` has not, and the view reads it
};

class Views {
 public:
  // `kept`: of this module; null: no answer is kept.
  Views(const Module* module ABSL_ATTRIBUTE_LIFETIME_BOUND,
        Runner* runner ABSL_ATTRIBUTE_LIFETIME_BOUND,
        KeptPages* kept ABSL_ATTRIBUTE_LIFETIME_BOUND);

  // Answers view `index` (into Module::handlers()). Reply::revision changes when what the view may
  // show does; 0: that has no revision yet.
  void Apply(uint16_t index, const Arguments& arguments, const Seen& seen, Reply* reply);

 private:
  uint64_t RevisionOf(const PlanHandler& view, const Seen& seen) const;

  const Plan& plan_;
  const uint64_t module_bits_;
  Runner& runner_;
  KeptPages* const kept_;
};

}  // namespace pure::modules
