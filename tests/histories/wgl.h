#pragma once

// Wgl: whether a history of concurrent operations is linearizable: whether each can be given a
// moment between its call and its return so that, one after the other, they do what a sequential
// object does (Herlihy and Wing, "Linearizability", 1990). The search is that of Wing and Gong with
// Lowe's memory of configurations ("Testing for linearizability", 2017), which Porcupine and
// Knossos use as well.
//
// A model has Input, Output, a State with == and AbslHashValue, and
//   static bool Step(const Input&, const Output*, State*)
// which does the operation, and says whether the object could answer so; null: the answer is not
// known. An operation without a known answer may take its effect at any time after its call, or
// never. Operations on different keys are checked apart, since objects compose. A client may
// promise an order of its own: what it sent on one connection, before it heard.
//
// Thread: any; no state. Cost: exponential at worst, near linear where few operations overlap.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"

namespace pure::histories {

// Times are of one monotonic clock, in ns.
template <typename Model>
struct Operation {
  typename Model::Input input;
  std::optional<typename Model::Output> output;  // none: it was never told
  int64_t call_ns = 0;
  int64_t return_ns = 0;  // of no meaning without an output
  // 1 + the index of one with an output that takes effect before this; 0: none.
  size_t after = 0;
};

enum class Verdict : uint8_t {
  kLinearizable,
  kBroken,
  kGivenUp,  // it took too long
};

template <typename Model>
class Wgl {
 public:
  // `configurations_max`: so many are remembered before it gives up.
  explicit Wgl(const std::vector<Operation<Model>>& operations,
               size_t configurations_max = 1'000'000)
      : operations_(operations), configurations_max_(configurations_max) {
    Order();
    done_.resize((operations.size() + 63) / 64);
  }

  // What is known is tried first: the rest may as well not have happened.
  Verdict Run() {
    size_t at = events_[0].next;
    bool known = true;
    while (returns_left_ > 0) {
      const Event& event = events_[at];
      if (event.is_return && known) {
        at = events_[0].next;
        known = false;
      } else if (event.is_return) {
        if (choices_.empty()) return Verdict::kBroken;
        known = IsKnown(choices_.back().operation);
        at = Undo();
      } else if (IsKnown(event.operation) == known && TryNow(event.operation)) {
        at = events_[0].next;
        known = true;
      } else {
        at = event.next;
      }
      if (seen_.size() > configurations_max_) return Verdict::kGivenUp;
    }
    return Verdict::kLinearizable;
  }

 private:
  // A call or a return, in a list in the order of time; the first one is no event.
  struct Event {
    size_t operation = 0;
    bool is_return = false;
    size_t before = 0;
    size_t next = 0;
  };
  // What was linearized last, and how it was before.
  struct Choice {
    size_t operation;
    typename Model::State before;
  };
  using Configuration = std::pair<std::vector<uint64_t>, typename Model::State>;

  void Order() {
    struct Moment {
      int64_t ns;
      bool is_return;
      size_t operation;
    };
    std::vector<Moment> moments;
    for (size_t i = 0; i < operations_.size(); ++i) {
      moments.push_back({operations_[i].call_ns, false, i});
      if (!operations_[i].output.has_value()) continue;
      moments.push_back({operations_[i].return_ns, true, i});
      ++returns_left_;
    }
    // At the same time: calls first, since those two may have overlapped.
    std::sort(moments.begin(), moments.end(), [](const Moment& a, const Moment& b) {
      return a.ns != b.ns ? a.ns < b.ns : a.is_return < b.is_return;
    });
    events_.resize(1);
    calls_.resize(operations_.size());
    returns_.resize(operations_.size());
    for (const Moment& moment : moments) {
      const size_t number = events_.size();
      events_.back().next = number;
      events_.push_back({moment.operation, moment.is_return, number - 1, 0});
      (moment.is_return ? returns_ : calls_)[moment.operation] = number;
    }
  }

  // Gives the operation this moment, if the object could do it now and that was not tried before.
  bool TryNow(size_t operation) {
    const Operation<Model>& tried = operations_[operation];
    if (tried.after != 0 && !IsDone(tried.after - 1)) return false;
    typename Model::State next = state_;
    if (!Model::Step(tried.input, tried.output ? &*tried.output : nullptr, &next)) return false;
    done_[operation / 64] |= uint64_t{1} << (operation % 64);
    if (!seen_.insert(Configuration(done_, next)).second) {
      done_[operation / 64] &= ~(uint64_t{1} << (operation % 64));
      return false;
    }
    choices_.push_back({operation, std::exchange(state_, std::move(next))});
    Take(calls_[operation]);
    if (returns_[operation] != 0) {
      Take(returns_[operation]);
      --returns_left_;
    }
    return true;
  }

  // Something returned that could not be given a moment: the last choice was wrong. What is tried
  // next. REQUIRES: a choice.
  size_t Undo() {
    const size_t operation = choices_.back().operation;
    state_ = std::move(choices_.back().before);
    choices_.pop_back();
    done_[operation / 64] &= ~(uint64_t{1} << (operation % 64));
    if (returns_[operation] != 0) {
      PutBack(returns_[operation]);
      ++returns_left_;
    }
    PutBack(calls_[operation]);
    return events_[calls_[operation]].next;
  }

  bool IsKnown(size_t operation) const { return operations_[operation].output.has_value(); }
  bool IsDone(size_t operation) const {
    return (done_[operation / 64] >> (operation % 64) & 1) != 0;
  }

  void Take(size_t number) {
    events_[events_[number].before].next = events_[number].next;
    if (events_[number].next != 0) events_[events_[number].next].before = events_[number].before;
  }
  void PutBack(size_t number) {
    events_[events_[number].before].next = number;
    if (events_[number].next != 0) events_[events_[number].next].before = number;
  }

  const std::vector<Operation<Model>>& operations_;
  const size_t configurations_max_;
  std::vector<Event> events_;
  std::vector<size_t> calls_, returns_;  // events, by operation; 0: none
  size_t returns_left_ = 0;
  typename Model::State state_ = {};
  std::vector<uint64_t> done_;  // a bit for each operation
  absl::flat_hash_set<Configuration> seen_;
  std::vector<Choice> choices_;
};

template <typename Model>
bool IsLinearizable(const std::vector<Operation<Model>>& operations) {
  return Wgl<Model>(operations).Run() == Verdict::kLinearizable;
}

}  // namespace pure::histories
