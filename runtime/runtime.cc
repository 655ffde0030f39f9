#include "runtime/runtime.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "runtime/check.h"
#include "runtime/limits.h"

namespace pure {
namespace {

// Pointers into different objects have no built-in order; std::less gives one.
bool LiesWithin(const Resource& body, Bytes memory) {
  const std::less_equal<const char*> at_most;
  for (Bytes span : body.spans()) {
    if (span.empty()) continue;
    if (!at_most(memory.data(), span.data()) ||
        !at_most(span.data() + span.size(), memory.data() + memory.size())) {
      return false;
    }
  }
  return true;
}

}  // namespace

struct Runtime::Slot {
  enum class State : uint8_t { kFree, kFilling, kReady, kTaken, kCompleted };

  uint32_t generation = 1;  // of the ticket that holds it, or that will hold it next; never 0
  uint32_t next = kEndOfList;
  State state = State::kFree;
  Kind kind = Kind::kRead;
  Result result = Result::kOk;
  bool released = false;  // by its requester, while the effect was ready or taken
  Key key;
  Condition condition;
  char* ingress = nullptr;
  size_t ingress_bytes = 0;
  uint64_t revision = 0;
  Resource body;
  size_t body_charged_bytes = 0;
  bool body_in_ingress = false;
};

Runtime::Runtime(const RuntimeOptions& options, Memory* memory)
    : memory_(memory),
      budget_(options.budget_bytes),
      slot_count_(options.slots),
      free_count_(options.slots) {
  PURE_CHECK(options.slots >= 1 && options.slots <= kSlotsMax,
             "the number of slots is out of bounds");
  slots_ = std::make_unique<Slot[]>(slot_count_);
  for (uint32_t i = 0; i + 1 < slot_count_; ++i) slots_[i].next = i + 1;
}

Runtime::~Runtime() {
  for (uint32_t i = 0; i < slot_count_; ++i) {
    if (slots_[i].state != Slot::State::kFree) Free(&slots_[i]);
  }
}

Runtime::Slot* Runtime::Find(Ticket ticket) const {
  if (ticket.slot >= slot_count_) return nullptr;
  Slot* const slot = &slots_[ticket.slot];
  const bool live = slot->state != Slot::State::kFree && slot->generation == ticket.generation;
  return live ? slot : nullptr;
}

Runtime::Slot* Runtime::FindHeld(Ticket ticket) const {
  Slot* const slot = Find(ticket);
  return slot != nullptr && !slot->released ? slot : nullptr;
}

Result Runtime::Accept(Kind kind, const Key& key, const Condition& condition, size_t payload_bytes,
                       Ticket* ticket) {
  if (stopped_) return Result::kStopped;
  if (free_head_ == kEndOfList) return Result::kBusy;
  if (!budget_.Charge(payload_bytes)) {
    ++counters_.budget_rejections;
    return Result::kBudget;
  }
  char* ingress = nullptr;
  if (payload_bytes > 0) {
    ingress = memory_->Allocate(payload_bytes);
    if (ingress == nullptr) {
      budget_.Refund(payload_bytes);
      return Result::kAllocation;
    }
  }
  const uint32_t number = free_head_;
  Slot* const slot = &slots_[number];
  free_head_ = slot->next;
  --free_count_;
  ++active_;
  ++counters_.accepted;
  slot->next = kEndOfList;
  slot->state = Slot::State::kFilling;
  slot->kind = kind;
  slot->result = Result::kOk;
  slot->key = key;
  slot->condition = condition;
  slot->ingress = ingress;
  slot->ingress_bytes = payload_bytes;
  slot->revision = 0;
  *ticket = Ticket{number, slot->generation};
  return Result::kOk;
}

MutableBytes Runtime::Ingress(Ticket ticket) {
  Slot* const slot = FindHeld(ticket);
  return slot == nullptr ? MutableBytes() : MutableBytes(slot->ingress, slot->ingress_bytes);
}

void Runtime::CopyPrefix(Ticket ticket, Bytes prefix) {
  const MutableBytes ingress = Ingress(ticket);
  PURE_CHECK(prefix.size() <= ingress.size(), "more came with the head than the payload holds");
  std::copy(prefix.begin(), prefix.end(), ingress.begin());
  counters_.ingress_prefix_copy_bytes += prefix.size();
}

bool Runtime::Ready(Ticket ticket) {
  Slot* const slot = FindHeld(ticket);
  if (slot == nullptr || slot->state != Slot::State::kFilling) return false;
  slot->state = Slot::State::kReady;
  if (ready_tail_ == kEndOfList) {
    ready_head_ = ticket.slot;
  } else {
    slots_[ready_tail_].next = ticket.slot;
  }
  ready_tail_ = ticket.slot;
  ++ready_count_;
  return true;
}

bool Runtime::Take(Effect* effect) {
  if (ready_head_ == kEndOfList) return false;
  const uint32_t number = ready_head_;
  Slot* const slot = &slots_[number];
  ready_head_ = std::exchange(slot->next, kEndOfList);
  if (ready_head_ == kEndOfList) ready_tail_ = kEndOfList;
  --ready_count_;
  ++taken_count_;
  slot->state = Slot::State::kTaken;
  effect->ticket = Ticket{number, slot->generation};
  effect->kind = slot->kind;
  effect->key = slot->key;
  effect->condition = slot->condition;
  effect->payload = Bytes(slot->ingress, slot->ingress_bytes);
  effect->available_bytes = budget_.available_bytes();
  return true;
}

bool Runtime::Complete(Ticket ticket, Result result, uint64_t revision, Resource body) {
  Slot* const slot = Find(ticket);
  if (slot == nullptr || slot->state != Slot::State::kTaken) return false;
  --taken_count_;
  slot->state = Slot::State::kCompleted;
  slot->result = result;
  slot->revision = revision;
  if (result == Result::kOk && !slot->released) {
    KeepBody(slot, std::move(body));
  } else {
    body.Reset();  // before the ingress, in which it may lie
  }
  if (slot->result == Result::kOk) {
    ++(slot->kind == Kind::kRead ? counters_.reads : counters_.writes);
  }
  if (slot->result == Result::kConflict) ++counters_.conflicts;
  if (slot->released) Free(slot);
  return true;
}

void Runtime::KeepBody(Slot* slot, Resource body) {
  if (body.size_bytes() == 0) return;
  const bool in_ingress = LiesWithin(body, Bytes(slot->ingress, slot->ingress_bytes));
  const size_t charge_bytes = in_ingress ? 0 : body.size_bytes();
  if (!budget_.Charge(charge_bytes)) {
    ++counters_.budget_rejections;
    slot->result = slot->kind == Kind::kRead ? Result::kBudget : Result::kUncertain;
    return;
  }
  slot->body_charged_bytes = charge_bytes;
  slot->body_in_ingress = in_ingress;
  counters_.borrowed_output_bytes += body.size_bytes();
  slot->body = std::move(body);
}

bool Runtime::OutcomeOf(Ticket ticket, Outcome* outcome) const {
  const Slot* const slot = FindHeld(ticket);
  if (slot == nullptr || slot->state != Slot::State::kCompleted) return false;
  outcome->result = slot->result;
  outcome->revision = slot->revision;
  outcome->body = &slot->body;
  return true;
}

void Runtime::DropIngress(Ticket ticket) {
  Slot* const slot = FindHeld(ticket);
  if (slot == nullptr || slot->state != Slot::State::kCompleted || slot->body_in_ingress) return;
  FreeIngress(slot);
}

bool Runtime::Release(Ticket ticket) {
  Slot* const slot = FindHeld(ticket);
  if (slot == nullptr) return false;
  if (slot->state == Slot::State::kReady || slot->state == Slot::State::kTaken) {
    slot->released = true;  // Complete frees it
  } else {
    Free(slot);
  }
  return true;
}

void Runtime::Stop() { stopped_ = true; }

void Runtime::FreeIngress(Slot* slot) {
  if (slot->ingress == nullptr) return;
  memory_->Free(slot->ingress, slot->ingress_bytes);
  budget_.Refund(slot->ingress_bytes);
  slot->ingress = nullptr;
  slot->ingress_bytes = 0;
}

void Runtime::Free(Slot* slot) {
  // The body first: it may lie in the ingress.
  slot->body.Reset();
  budget_.Refund(slot->body_charged_bytes);
  slot->body_charged_bytes = 0;
  slot->body_in_ingress = false;
  FreeIngress(slot);
  slot->released = false;
  slot->state = Slot::State::kFree;
  if (++slot->generation == 0) slot->generation = 1;  // 0 names no request
  slot->next = free_head_;
  free_head_ = static_cast<uint32_t>(slot - slots_.get());
  ++free_count_;
  --active_;
  ++counters_.releases;
}

}  // namespace pure
