#pragma once

// The sequential objects that histories of the server are held against.

#include <cstdint>
#include <optional>
#include <utility>

namespace pure::histories {

// One document: GET shows revision and value; PUT with a condition makes the next revision, or is
// refused with the one that stands.
struct DocumentModel {
  struct Input {
    bool puts = false;
    uint64_t base = 0;  // If-Match; 0: If-None-Match: *
    int64_t value = 0;
  };
  struct Output {
    bool refused = false;   // 412
    uint64_t revision = 0;  // 0: there is none
    int64_t value = 0;      // of a GET
  };
  struct State {
    uint64_t revision = 0;
    int64_t value = 0;

    friend bool operator==(const State&, const State&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const State& state) {
      return H::combine(std::move(h), state.revision, state.value);
    }
  };

  static bool Step(const Input& input, const Output* output, State* state) {
    if (!input.puts) {
      return output == nullptr ||
             (output->revision == state->revision && output->value == state->value);
    }
    const bool wins = input.base == state->revision;
    if (wins) *state = {state->revision + 1, input.value};
    return output == nullptr || (output->refused != wins && output->revision == state->revision);
  }
};

// A number of an app: `add` answers what it has become, `set` what it was before, a view what it
// is.
struct CellModel {
  enum class Kind : uint8_t { kAdd, kSet, kView };
  struct Input {
    Kind kind = Kind::kView;
    int64_t number = 0;
  };
  using Output = int64_t;
  using State = int64_t;

  static bool Step(const Input& input, const Output* output, State* state) {
    const int64_t before = *state;
    if (input.kind == Kind::kAdd) *state += input.number;
    if (input.kind == Kind::kSet) *state = input.number;
    return output == nullptr || *output == (input.kind == Kind::kSet ? before : *state);
  }
};

}  // namespace pure::histories
