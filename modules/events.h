#pragma once

// Events: runs inputs and views on states. An input that faults leaves no trace.
//
// Thread: one thread's, the owner's. Lifetime: borrows module and states for its own life; answers
// outlive what they were made of. Cost: an answer is one allocation.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/attributes.h"
#include "modules/arena.h"
#include "modules/arguments.h"
#include "modules/kept_page.h"
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
  void Run(const PlanHandler& handler, const Moment& moment, const Arguments& arguments,
           Reply* reply);
  Result Answer(const PlanHandler& handler, const Ending& ending, Reply* reply);

  const Plan& plan_;
  States* const states_;
  const uint64_t module_bits_;
  Arena arena_;
  Machine machine_;
  // By handler; of views without arguments. Together at most kKeptBytesMax, so that many large
  // views do not fill the memory.
  static constexpr size_t kKeptBytesMax = size_t{4} << 20;
  void Keep(uint16_t view, const Reply& reply);
  std::vector<std::unique_ptr<KeptPage>> kept_;
  size_t kept_bytes_ = 0;
  std::vector<Rows> before_;  // of the event at hand
  std::string json_;
};

}  // namespace pure::modules
