#pragma once

// Executor: applies a round of requests to an app in bursts, one save each. Nothing of a burst is
// handed on before its save returned; a failed save fails every request of the burst that was well,
// reads included.
//
// A burst ends before a document that it wrote is named again, and before its documents would
// outgrow one save. A round reads one look; after a save the rest of the round reads the look with
// it. A write that lost to another thread's commit is applied again on the newer look, where its
// condition decides.
//
// Thread: one thread's, the one that holds the store handle. Lifetime: borrows module and handle
// for its own life. Cost: no allocation after construction, but what replies other than a shown
// value need.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "executor/job.h"
#include "executor/key_set.h"
#include "modules/app.h"
#include "modules/module.h"
#include "modules/states.h"
#include "runtime/budget.h"
#include "runtime/port.h"
#include "runtime/result.h"
#include "store/store.h"

namespace pure::executor {

struct ExecutorCounters {
  uint64_t bursts = 0;
  uint64_t burst_events = 0;  // requests in them that the save made durable or answered
};

class Executor {
 public:
  struct Parts {
    const modules::Module* module;
    store::StoreHandle* store;
    modules::States* states = nullptr;  // of the module; null for one without
    // Of answers of views that are kept to be lent again; null: none is kept.
    Budget* budget = nullptr;
    // What events are given; not needed where the module has no inputs.
    Clock* clock = nullptr;
    Entropy* entropy = nullptr;
  };
  // Borrows the parts. `round_max`: most jobs of one round.
  Executor(const Parts& parts, size_t round_max);

  // Takes the finished requests of one burst, in the order of the round; may move the bodies out.
  using Finish = absl::FunctionRef<void(absl::Span<Applied>)>;

  // Runs a round. Each saved burst goes to `finish` before the next one runs. REQUIRES:
  // round.size() <= round_max.
  void Run(absl::Span<const Job> round, Finish finish);

  // Gives back the budget of what is kept, and keeps nothing any more.
  void StopKeeping() { app_.StopKeeping(); }

  // How long the save of the last burst took; 0: it needed none, or failed, or there is no clock.
  int64_t last_save_ns() const { return last_save_ns_; }
  const ExecutorCounters& counters() const ABSL_ATTRIBUTE_LIFETIME_BOUND { return counters_; }

 private:
  // What an applied job staged, while its save is due.
  struct Pending {
    bool staged = false;
    uint32_t staged_index = 0;
  };

  size_t ApplyBurst(absl::Span<const Job> rest, size_t begin);
  bool ApplyOne(const Job& job, size_t index, bool may_defer);
  void SaveBurst(absl::Span<const Job> round, size_t begin, size_t end);
  bool KeepLosers(size_t begin, size_t end);
  bool Pends(size_t begin, size_t end) const;
  Result CommitBurst();
  modules::Moment NextMoment(uint16_t handler);
  void FailBurst(size_t begin, size_t end, Result save);

  const Parts parts_;
  store::StoreHandle* const store_;
  modules::App app_;
  std::vector<Applied> applied_;  // by position in the round
  std::vector<Pending> pending_;  // the same
  KeySet written_;                // keys staged in this burst
  int64_t now_ms_ = 0;            // of the last event
  int64_t last_save_ns_ = 0;
  ExecutorCounters counters_;
};

}  // namespace pure::executor
