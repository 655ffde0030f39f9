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
#include "modules/module.h"
#include "runtime/bytes.h"
#include "runtime/condition.h"
#include "runtime/key.h"
#include "runtime/resource.h"
#include "runtime/result.h"
#include "store/store.h"

namespace pure::modules {

// What a message answered.
struct Reply {
  Result result = Result::kOk;
  uint64_t revision = 0;  // of the document after the message (kConflict: the current one); 0: none
  uint16_t detail =
      0;  // kFault: index into Module::faults(); kType: index of the parameter of the message
  bool wrote = false;         // something was staged; the answer is due only after the commit
  uint32_t staged_index = 0;  // which of the handle's staged writes it was
  Resource body;       // of a kOk: lent extents or a rendered value; may be empty. Outlives Settle
  Bytes content_type;  // of the body; lives with the module. Empty: application/octet-stream
};

class App {
 public:
  App(const Module* module ABSL_ATTRIBUTE_LIFETIME_BOUND,
      store::StoreHandle* store ABSL_ATTRIBUTE_LIFETIME_BOUND);
  ~App();

  // Applies message `message` (index into Module::messages()) to the document `key` in the held
  // look. `condition` is checked first. A write is staged, not committed: the caller commits, and
  // answers only then. `body` is the request's payload in the form that `encoding` says; it is
  // borrowed until the commit or discard. A message that fails leaves nothing staged.
  //
  // kOk; kConflict; kNotFound: nothing is there, or the key is longer than the module allows;
  // kFault: Reply::detail says which; kType: Reply::detail is the parameter's index, or the number
  // of parameters for a field that is none of them or a payload that is no form; kLimit: a raw
  // payload over its parameter's bound, or more than this save or this burst can hold; kAllocation;
  // and what the store's Find gives.
  void Apply(uint16_t message, const Key& key, const Condition& condition, Bytes body,
             BodyEncoding encoding, Reply* reply);

  // What was staged has been committed or discarded: returns what it consisted of, and counts
  // staged writes from 0 again. The caller calls it after each Commit or Discard of the handle.
  void Settle();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace pure::modules
