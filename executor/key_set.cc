#include "executor/key_set.h"

#include <algorithm>
#include <bit>

#include "absl/hash/hash.h"

namespace pure::executor {
namespace {

uint32_t HashOf(const Key& key) { return static_cast<uint32_t>(absl::HashOf(key.bytes())); }

}  // namespace

KeySet::KeySet(size_t keys_max) : places_(std::bit_ceil(2 * keys_max + 2)) {}

bool KeySet::MayContain(const Key& key) const {
  return places_[PlaceOf(HashOf(key))].burst == burst_;
}

void KeySet::Insert(const Key& key) {
  const uint32_t hash = HashOf(key);
  places_[PlaceOf(hash)] = {burst_, hash};
}

void KeySet::Clear() {
  if (++burst_ != 0) return;
  std::fill(places_.begin(), places_.end(), Place());  // the count has gone round
  burst_ = 1;
}

// Where the hash stands, or the empty place where it would.
size_t KeySet::PlaceOf(uint32_t hash) const {
  const size_t mask = places_.size() - 1;
  size_t place = hash & mask;
  while (places_[place].burst == burst_ && places_[place].hash != hash) place = (place + 1) & mask;
  return place;
}

}  // namespace pure::executor
