#pragma once

// Pool: the constants of a plan while it is made; equal ones are kept once.

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace pure::modules {

template <typename T>
class Pool {
 public:
  static constexpr size_t kPoolMax = 65535;

  // Index of the constant. False: the pool is full.
  bool Add(const T& value, uint16_t* index) {
    const auto [place, added] = indices_.try_emplace(value, static_cast<uint16_t>(values_.size()));
    if (added) {
      if (values_.size() == kPoolMax) {
        indices_.erase(place);
        return false;
      }
      values_.push_back(value);
    }
    *index = place->second;
    return true;
  }

  std::vector<T> Take() { return std::move(values_); }

 private:
  std::vector<T> values_;
  std::unordered_map<T, uint16_t> indices_;
};

}  // namespace pure::modules
