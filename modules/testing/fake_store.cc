#include "modules/testing/fake_store.h"

#include <algorithm>
#include <utility>

namespace pure::testing {

void FakeStore::Set(const std::string& key, std::string octets) {
  auto value = std::make_shared<Stored>();
  value->octets = std::move(octets);
  for (size_t at = 0; at < value->octets.size(); at += extent_bytes_) {
    value->extents.push_back(Bytes(value->octets).substr(at, extent_bytes_));
    if (extent_bytes_ >= value->octets.size()) break;
  }
  Entry& entry = entries_[key];
  replaced_.push_back(std::exchange(entry.value, std::move(value)));
  ++entry.revision;
}

void FakeStore::Put(Bytes key, Bytes value) { Set(std::string(key), std::string(value)); }

bool FakeStore::Has(Bytes key) const {
  const auto found = entries_.find(key);
  return found != entries_.end() && found->second.value != nullptr;
}

std::string FakeStore::Value(Bytes key) const {
  return Has(key) ? entries_.find(key)->second.value->octets : "(none)";
}

uint64_t FakeStore::Revision(Bytes key) const {
  const auto found = entries_.find(key);
  return found == entries_.end() ? 0 : found->second.revision;
}

Result FakeStore::Find(Bytes key, store::Found* found) {
  ++finds_;
  if (const Result result = std::exchange(next_read_, Result::kOk); result != Result::kOk)
    return result;
  *found = store::Found();
  const auto at = entries_.find(key);
  if (at == entries_.end()) return Result::kOk;
  found->revision = at->second.revision;
  found->present = at->second.value != nullptr;
  if (!found->present) return Result::kOk;
  const Stored& value = *at->second.value;
  found->size_bytes = value.octets.size();
  ++lent_;
  const auto returned = [](void* store, void*) { --static_cast<FakeStore*>(store)->lent_; };
  found->value = value.extents.size() == 1 ? Resource(value.extents[0], returned, this, nullptr)
                                           : Resource(value.extents, returned, this, nullptr);
  return Result::kOk;
}

Result FakeStore::Peek(Bytes key, store::Found* found) {
  ++peeks_;
  if (const Result result = std::exchange(next_read_, Result::kOk); result != Result::kOk)
    return result;
  *found = store::Found();
  const auto at = entries_.find(key);
  if (at == entries_.end()) return Result::kOk;
  found->revision = at->second.revision;
  found->present = at->second.value != nullptr;
  found->size_bytes = found->present ? at->second.value->octets.size() : 0;
  return Result::kOk;
}

Result FakeStore::Stage(Bytes key, uint64_t base_revision, absl::Span<const Bytes> pieces) {
  if (const Result result = std::exchange(next_stage_, Result::kOk); result != Result::kOk)
    return result;
  writes_.push_back({std::string(key), base_revision, false, {pieces.begin(), pieces.end()}});
  return Result::kOk;
}

Result FakeStore::StageErase(Bytes key, uint64_t base_revision) {
  if (const Result result = std::exchange(next_stage_, Result::kOk); result != Result::kOk)
    return result;
  writes_.push_back({std::string(key), base_revision, true, {}});
  return Result::kOk;
}

Result FakeStore::Commit() {
  staged_.clear();
  for (const Write& write : writes_) {
    if (Revision(write.key) != write.base_revision) {
      staged_.push_back({Result::kConflict, Revision(write.key)});
      continue;
    }
    std::string octets;
    for (Bytes piece : write.pieces) octets.append(piece);
    if (write.erase) {
      Entry& entry = entries_[write.key];
      replaced_.push_back(std::exchange(entry.value, nullptr));
      ++entry.revision;
    } else {
      Set(write.key, std::move(octets));
    }
    staged_.push_back({Result::kOk, Revision(write.key)});
  }
  writes_.clear();
  return Result::kOk;
}

}  // namespace pure::testing
