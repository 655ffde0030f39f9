#pragma once

// PublishedViews: answers views from the newest published look, on a thread that does not own the
// states.
//
// Thread: one thread's. Lifetime: borrows its parts for its own life; answers outlive looks. Cost:
// that of the view; nothing is allocated for an answer that is kept.

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/base/attributes.h"
#include "modules/arguments.h"
#include "modules/kept_pages.h"
#include "modules/look.h"
#include "modules/module.h"
#include "modules/published_look.h"
#include "modules/reply.h"
#include "modules/rows/rows.h"
#include "modules/runner.h"
#include "modules/views.h"

namespace pure::modules {

class PublishedViews {
 public:
  PublishedViews(const Module* module ABSL_ATTRIBUTE_LIFETIME_BOUND,
                 const PublishedLook* published ABSL_ATTRIBUTE_LIFETIME_BOUND,
                 KeptPages* kept ABSL_ATTRIBUTE_LIFETIME_BOUND);

  // Answers view `index` (into Module::handlers()), byte for byte as the owner would of the same
  // commit. REQUIRES: a look was published.
  void Apply(uint16_t index, const Arguments& arguments, Reply* reply);

 private:
  const PublishedLook& published_;
  Runner runner_;
  Views views_;
  std::shared_ptr<const Look> look_;
  std::vector<Rows> states_;  // those of look_
};

}  // namespace pure::modules
