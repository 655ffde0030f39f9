#include "modules/scope.h"

#include <algorithm>

namespace pure::modules {

int Scope::Find(Bytes name) const {
  for (size_t slot = 0; slot < variables_.size(); ++slot) {
    if (variables_[slot].name == name) return static_cast<int>(slot);
  }
  return -1;
}

uint16_t Scope::Add(const Variable& variable) {
  variables_.push_back(variable);
  size_max_ = std::max(size_max_, size());
  return static_cast<uint16_t>(variables_.size() - 1);
}

std::vector<Known> Scope::Save() const {
  std::vector<Known> saved;
  saved.reserve(variables_.size());
  for (const Variable& variable : variables_) saved.push_back(variable.known);
  return saved;
}

void Scope::Restore(absl::Span<const Known> saved) {
  for (size_t slot = 0; slot < saved.size(); ++slot) variables_[slot].known = saved[slot];
}

void Scope::JoinWith(absl::Span<const Known> other) {
  for (size_t slot = 0; slot < other.size(); ++slot) {
    Known& known = variables_[slot].known;
    if (!Join(known.type, other[slot].type, &known.type)) known.type = ErrorType();
    known.stored &= other[slot].stored;
    known.parts = std::max(known.parts, other[slot].parts);
  }
}

std::vector<Bytes> Scope::names() const {
  std::vector<Bytes> names;
  names.reserve(variables_.size());
  for (const Variable& variable : variables_) names.push_back(variable.name);
  return names;
}

}  // namespace pure::modules
