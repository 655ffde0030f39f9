#pragma once

// Scope: the values that have a name at one place of a message, and what is known of each there.
// What is known follows the flow: an assignment replaces it, and where two branches meet it is
// joined.

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "modules/types.h"
#include "runtime/bytes.h"

namespace pure::modules {

// Registers of a handler that are there from the start, whether they have a name in it or not;
// parameters follow, then what `let` names.
inline constexpr uint16_t kValueSlot = 0;
inline constexpr uint16_t kRevisionSlot = 1;
inline constexpr uint16_t kKeySlot = 2;
inline constexpr uint16_t kNowSlot = 3;
inline constexpr uint16_t kRandomSlot = 4;
inline constexpr uint16_t kCommitSlot = 5;
inline constexpr uint16_t kFirstParameterSlot = 6;

// What is known of a value.
struct Known {
  Type type;
  bool stored = false;  // it lies in the stored value, or is no larger than an answer may be
  uint32_t parts = 1;   // pieces that it may consist of, a stored value counted as one
};

// What is known of a value of this type, and nothing else.
inline Known KnownOf(const Type& type) { return {type, false, 1}; }

struct Variable {
  Bytes name;
  uint32_t offset = 0;  // of its definition
  bool assignable = false;
  Known known;
};

class Scope {
 public:
  // Its slot, or -1.
  int Find(Bytes name) const;
  Variable& at(uint16_t slot) { return variables_[slot]; }
  uint16_t Add(const Variable& variable);
  uint16_t size() const { return static_cast<uint16_t>(variables_.size()); }
  uint16_t size_max() const { return size_max_; }
  // Forgets the newest until `size` are left: the end of a block.
  void Shrink(uint16_t size) { variables_.resize(size); }

  // What is known of each now, and back to it.
  std::vector<Known> Save() const;
  void Restore(absl::Span<const Known> saved);
  // What is true whether the other branch or this one was taken.
  void JoinWith(absl::Span<const Known> other);

  std::vector<Bytes> names() const;

 private:
  std::vector<Variable> variables_;
  uint16_t size_max_ = 0;
};

}  // namespace pure::modules
