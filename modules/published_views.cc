#include "modules/published_views.h"

#include "absl/types/span.h"

namespace pure::modules {

PublishedViews::PublishedViews(const Module* module, const PublishedLook* published,
                               KeptPages* kept)
    : published_(*published), runner_(module), views_(module, &runner_, kept) {}

void PublishedViews::Apply(uint16_t index, const Arguments& arguments, Reply* reply) {
  if (published_.Refresh(&look_)) states_ = look_->states;
  views_.Apply(index, arguments,
               {.states = absl::MakeSpan(states_), .commit = look_->commit, .saved = look_.get()},
               reply);
}

}  // namespace pure::modules
