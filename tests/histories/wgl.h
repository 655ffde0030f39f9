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
// never. Operations on different keys are checked apart, since objects compose.
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
};

template <typename Model>
class Wgl {
 public:
  explicit Wgl(const std::vector<Operation<Model>>& operations) : operations_(operations) {
    Order();
    done_.resize((operations.size() + 63) / 64);
  }

  bool Run() {
    size_t at = events_[0].next;
    while (returns_left_ > 0) {
      const Event& event = events_[at];
      if (!event.is_return) {
        at = TryNow(event.operation) ? events_[0].next : event.next;
      } else if (!Undo(&at)) {
        return false;
      }
    }
    return true;
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

  // Something returned that could not be given a moment: the last choice was wrong. *at: what is
  // tried next. False: no choice is left.
  bool Undo(size_t* at) {
    if (choices_.empty()) return false;
    const size_t operation = choices_.back().operation;
    state_ = std::move(choices_.back().before);
    choices_.pop_back();
    done_[operation / 64] &= ~(uint64_t{1} << (operation % 64));
    if (returns_[operation] != 0) {
      PutBack(returns_[operation]);
      ++returns_left_;
    }
    PutBack(calls_[operation]);
    *at = events_[calls_[operation]].next;
    return true;
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
  return Wgl<Model>(operations).Run();
}

}  // namespace pure::histories
