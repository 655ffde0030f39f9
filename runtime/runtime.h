#pragma once

// Runtime: the core of one connection thread. It admits requests against a payload budget, owns the
// memory that payloads are received into, hands ready effects to whoever applies them, keeps what
// they answer until it was sent, and counts. No OS call, no lock, no clock.
//
// The life of a request: Accept -> (fill ingress) -> Ready -> Take -> Complete -> outcome ->
// Release, each once. Release is legal from Accept on; while the effect runs elsewhere (taken, not
// completed), its memory and its slot live until both sides are done.
//
// Thread: one thread's.
// Lifetime: borrows `memory` for its own life; owns everything else.
// Cost: no call allocates but Accept with a payload (its ingress). All are O(1), but Complete with
// a body of several spans, which looks at each once.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/base/attributes.h"
#include "absl/types/span.h"
#include "runtime/budget.h"
#include "runtime/bytes.h"
#include "runtime/condition.h"
#include "runtime/key.h"
#include "runtime/port.h"
#include "runtime/resource.h"
#include "runtime/result.h"
#include "runtime/ticket.h"

namespace pure {

enum class Kind : uint8_t { kRead, kWrite };

// What must be applied. By value, but for the payload, which the runtime lends until Complete.
struct Effect {
  Ticket ticket;
  Kind kind = Kind::kRead;
  Key key;
  Condition condition;
  Bytes payload;               // the whole ingress of a write
  size_t available_bytes = 0;  // what the budget could still lend to an answer when it was taken
};

// What came of an effect, as the runtime keeps it until Release.
struct Outcome {
  Result result = Result::kOk;
  uint64_t revision = 0;           // 0: none is known
  const Resource* body = nullptr;  // valid until Release of the ticket; empty unless kOk
};

struct RuntimeCounters {
  uint64_t accepted = 0;   // tickets given
  uint64_t releases = 0;   // tickets whose both sides are done; == accepted when nothing is active
  uint64_t reads = 0;      // completed kOk
  uint64_t writes = 0;     // completed kOk
  uint64_t conflicts = 0;  // completed kConflict
  uint64_t budget_rejections = 0;  // refused at Accept or at Complete by the budget
  uint64_t ingress_prefix_copy_bytes = 0;
  uint64_t borrowed_output_bytes = 0;  // lent to answers
};

struct RuntimeOptions {
  uint32_t slots = 1024;            // 1 to kSlotsMax
  size_t budget_bytes = 64u << 20;  // payload bytes retained at most: ingress and lent answers
};

class Runtime {
 public:
  // Allocates all slots now. REQUIRES: 1 <= options.slots <= kSlotsMax.
  Runtime(const RuntimeOptions& options, Memory* memory ABSL_ATTRIBUTE_LIFETIME_BOUND);
  // Frees every ingress and returns every body that it still holds, whatever state their tickets
  // are in.
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  // Admits a request and charges its whole declared payload before a byte of it is read.
  // kOk: *ticket is set, and for a write with payload the ingress is there.
  // kBudget, kAllocation: refused, nothing is retained. kStopped: after Stop. kBusy: no slot is
  // free.
  Result Accept(Kind kind, const Key& key, const Condition& condition, size_t payload_bytes,
                Ticket* ticket);

  // The memory that the payload is received into, of exactly the declared size; empty for none.
  // Valid until Release, or until Complete when released earlier. Stale ticket: empty.
  MutableBytes Ingress(Ticket ticket);

  // Copies body bytes that came with the head to the start of ingress, and counts them.
  // REQUIRES: prefix.size() <= Ingress(ticket).size().
  void CopyPrefix(Ticket ticket, Bytes prefix);

  // The payload is complete: the effect may be taken. False: stale, or ready before.
  bool Ready(Ticket ticket);

  // The next ready effect, in the order of Ready. False: none. The payload is lent until Complete.
  bool Take(Effect* effect);

  // Ends an effect that was taken. Keeps the body of a kOk and charges it to the budget; a body
  // that lies within the ticket's own ingress was charged with it. When it does not fit, the body
  // is returned, and the outcome becomes kBudget for a read, kUncertain for a write (it was
  // applied, so no result that means "known not applied" may be said; whoever applies a write with
  // an answer looks at available_bytes before it saves). The body of any other result is returned
  // at once. If the ticket was released meanwhile, frees everything now. False (and the body is
  // returned): stale, not taken, or completed before.
  bool Complete(Ticket ticket, Result result, uint64_t revision, Resource body);

  // The outcome of a completed effect. False: stale or not completed.
  bool OutcomeOf(Ticket ticket, Outcome* outcome) const;

  // The payload of a completed effect is of no more use: refunds and frees it before Release. Does
  // nothing when the ticket is stale or not completed, or when the answer lies in the ingress.
  void DropIngress(Ticket ticket);

  // The requester is done with it: frees now, or at Complete when the effect still runs. A ticket
  // that is ready but not taken is still applied (an accepted event runs even if its client has
  // gone). False: stale or released before.
  bool Release(Ticket ticket);

  // From now on Accept says kStopped; what was accepted goes on.
  void Stop();
  bool stopped() const { return stopped_; }

  uint32_t active() const { return active_; }  // slots in use
  uint32_t free_slots() const { return free_count_; }
  size_t ready_count() const { return ready_count_; }  // ready and not taken
  size_t taken_count() const { return taken_count_; }  // taken and not completed
  const Budget& budget() const ABSL_ATTRIBUTE_LIFETIME_BOUND { return budget_; }
  // For who keeps spare bytes in it.
  Budget* mutable_budget() ABSL_ATTRIBUTE_LIFETIME_BOUND { return &budget_; }
  const RuntimeCounters& counters() const ABSL_ATTRIBUTE_LIFETIME_BOUND { return counters_; }

 private:
  struct Slot;
  // A list through the slots' own `next`: no memory of its own. kEndOfList ends it.
  static constexpr uint32_t kEndOfList = UINT32_MAX;

  // The slot that the ticket names, also when its requester released it; null: stale.
  Slot* Find(Ticket ticket) const;
  // The same, but null when its requester released it.
  Slot* FindHeld(Ticket ticket) const;
  void KeepBody(Slot* slot, Resource body);
  void FreeIngress(Slot* slot);
  void Free(Slot* slot);

  Memory* const memory_;
  Budget budget_;
  RuntimeCounters counters_;
  std::unique_ptr<Slot[]> slots_;
  const uint32_t slot_count_;
  uint32_t active_ = 0;
  uint32_t free_count_;
  uint32_t free_head_ = 0;  // last freed first: its memory is warm
  uint32_t ready_head_ = kEndOfList;
  uint32_t ready_tail_ = kEndOfList;
  size_t ready_count_ = 0;
  size_t taken_count_ = 0;
  bool stopped_ = false;
};

}  // namespace pure
