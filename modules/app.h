#pragma once

// App: a loaded module applied to a store. Plain data in, plain data out; it runs on its executor's
// thread and touches nothing but the store handle it was given.
//
// Lifetime: borrows the module (immutable, shared by threads) and the handle for its own life. What
// a staged write consists of (the stored extents it keeps, decoded arguments) is held here until
// Settle. Thread: one thread's. Cost: Show of a stored value allocates nothing; an edit copies no
// octet of its body, and no message one of the stored octets that it stages.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/base/attributes.h"
#include "modules/arguments.h"
#include "modules/module.h"
#include "modules/reply.h"
#include "modules/states.h"
#include "runtime/budget.h"
#include "runtime/bytes.h"
#include "runtime/condition.h"
#include "runtime/key.h"
#include "runtime/resource.h"
#include "runtime/result.h"
#include "store/store.h"

namespace pure::modules {

class App {
 public:
  // `states`: of the module; null for one without. `budget`: of answers of
  // views that are kept to be lent again; null: none is kept.
  App(const Module* module ABSL_ATTRIBUTE_LIFETIME_BOUND,
      store::StoreHandle* store ABSL_ATTRIBUTE_LIFETIME_BOUND,
      States* states ABSL_ATTRIBUTE_LIFETIME_BOUND = nullptr,
      Budget* budget ABSL_ATTRIBUTE_LIFETIME_BOUND = nullptr);
  ~App();

  // Applies message `message` (index into Module::messages()) to the document `key` in the held
  // look. `condition` is checked first. A write is staged, not committed: the caller commits, and
  // answers only then. The arguments' body is borrowed until the commit or discard. A message that
  // fails leaves nothing staged.
  //
  // kOk; kConflict; kNotFound: nothing is there, or the key is longer than the module allows;
  // kFault: Reply::detail says which; kType: Reply::detail is the parameter's index, or the number
  // of parameters for a field that is none of them or a payload that is no form; kLimit: a raw
  // payload over its parameter's bound, or more than this save or this burst can hold; kAllocation;
  // and what the store's Find gives.
  void Apply(uint16_t message, const Key& key, const Condition& condition,
             const Arguments& arguments, Reply* reply);

  // Applies input or view `handler` (index into Module::handlers()) to the states as the events of
  // this burst have made them. An input may change them; they are saved with StageStates. A view's
  // arguments are a form. Results as of Apply. REQUIRES: the module has states, or none of its
  // inputs and views uses one.
  void ApplyHandler(uint16_t handler, const Moment& moment, const Arguments& arguments,
                    Reply* reply);

  // Whether events have changed states since the last Settle.
  bool StatesChanged() const;
  // Stages what they changed, behind all that was staged before. As StoreHandle::Stage.
  Result StageStates();

  // What was staged has been committed or, not `saved`, discarded: returns what it consisted of,
  // and counts staged writes from 0 again. The caller calls it after each Commit or Discard of the
  // handle. States that were not saved are as they were.
  void Settle(bool saved);

  // Gives back the budget of what is kept, and keeps nothing any more.
  void StopKeeping();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace pure::modules
