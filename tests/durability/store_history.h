#pragma once

// StoreHistory: what a store must hold after each save, kept outside of it; the oracle of the
// durability tests.
//
// A recovered store has to equal the state after exactly one save: no hole (D5), no part of a save
// (D2), nothing that nobody wrote (D3), and no older one than was acknowledged (D1).
//
// Thread: one thread's.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "store/store.h"

namespace pure::durability {

struct KeyState {
  uint64_t revision = 0;
  bool present = false;
  std::string value;

  friend bool operator==(const KeyState&, const KeyState&) = default;
};
using State = std::map<std::string, KeyState>;  // keys never written are not in it

class StoreHistory {
 public:
  StoreHistory() : states_(1) {}

  // The state after the newest save.
  const State& newest() const { return states_.back(); }
  uint64_t saves() const { return states_.size() - 1; }
  const State& after(uint64_t save) const { return states_[save]; }
  // A save that is going to be made, by itself and durable, or not at all. Its number.
  uint64_t Add(State state);
  // The newest save is known not to have been applied.
  void TakeBack() { states_.pop_back(); }

  // Every key of the store, with the tombstones of those that the history knows. Problems are told
  // in *problem.
  State ReadAll(store::Store* store, std::string* problem) const;
  // Finds the save in [lowest, highest] after which the history is as the store is. Empty: found;
  // else what differs.
  std::string Match(store::Store* store, uint64_t lowest, uint64_t highest, uint64_t* save) const;

 private:
  std::vector<State> states_;  // by the number of the save; 0: before any
};

// "a: 3:12 bytes, b: 2-": for messages.
std::string Describe(const State& state);

}  // namespace pure::durability
