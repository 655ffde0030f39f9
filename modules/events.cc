#include "modules/events.h"

#include <utility>

namespace pure::modules {

Events::Events(const Module* module, States* states, KeptPages* kept)
    : plan_(module->plan()), states_(states), runner_(module), views_(module, &runner_, kept) {}

void Events::Apply(uint16_t index, const Moment& moment, const Arguments& arguments, Reply* reply) {
  if (plan_.handler_infos[index].is_view) {
    views_.Apply(index, arguments, SeenBy(plan_.handlers[index]), reply);
  } else {
    RunInput(index, moment, arguments, reply);
  }
}

void Events::RunInput(uint16_t index, const Moment& moment, const Arguments& arguments,
                      Reply* reply) {
  if (states_ == nullptr) return runner_.Run(index, moment, 0, arguments, {}, reply);
  before_ = states_->now();
  runner_.Run(index, moment, states_->next_commit(), arguments, absl::MakeSpan(states_->now()),
              reply);
  if (reply->result != Result::kOk) states_->now() = std::move(before_);
  before_.clear();
  reply->commit = states_->next_commit();
}

Seen Events::SeenBy(const PlanHandler& view) const {
  if (states_ == nullptr) return {};
  return {.states = absl::MakeSpan(states_->now()),
          .commit = states_->next_commit(),
          .saved = &states_->saved(),
          .unsaved = view.reads_commit ? states_->Changed() : states_->Changed(view.reads)};
}

}  // namespace pure::modules
