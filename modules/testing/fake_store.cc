#include "modules/testing/fake_store.h"

#include <algorithm>
#include <utility>

namespace pure::testing {

std::vector<Bytes> FakeStore::Cut(Bytes octets) const {
  std::vector<Bytes> extents;
  for (size_t at = 0; at < octets.size(); at += extents.back().size()) {
    extents.push_back(octets.substr(at, extent_bytes_));
  }
  return extents;
}

void FakeStore::Set(const std::string& key, std::string octets) {
  auto value = std::make_shared<Stored>();
  value->octets = std::move(octets);
  value->extents = Cut(value->octets);
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

// Fills *found but for the lent value. Null: nothing is there.
FakeStore::Stored* FakeStore::ReadEntry(Bytes key, store::Found* found) const {
  *found = store::Found();
  const auto at = entries_.find(key);
  if (at == entries_.end()) return nullptr;
  found->revision = at->second.revision;
  found->present = at->second.value != nullptr;
  found->size_bytes = found->present ? at->second.value->octets.size() : 0;
  return at->second.value.get();
}

void FakeStore::Lend(const std::vector<Bytes>& extents, store::Found* found) {
  ++lent_;
  const auto returned = [](void* store, void*) { --static_cast<FakeStore*>(store)->lent_; };
  found->value = extents.size() == 1 ? Resource(extents[0], returned, this, nullptr)
                                     : Resource(extents, returned, this, nullptr);
}

Result FakeStore::Find(Bytes key, store::Found* found) {
  ++finds_;
  if (const Result result = std::exchange(next_read_, Result::kOk); result != Result::kOk)
    return result;
  if (const Stored* value = ReadEntry(key, found)) Lend(value->extents, found);
  return Result::kOk;
}

Result FakeStore::FindToStage(Bytes key, store::Found* found) {
  ++finds_to_stage_;
  if (const Result result = std::exchange(next_read_, Result::kOk); result != Result::kOk)
    return result;
  Stored* const value = ReadEntry(key, found);
  if (value == nullptr) return Result::kOk;
  if (value->unseen == nullptr && !value->octets.empty()) {
    value->unseen = std::make_unique<UnreadableMemory>(value->octets.size());
    value->unseen_extents = Cut(value->unseen->bytes());
  }
  Lend(value->unseen_extents, found);
  return Result::kOk;
}

Result FakeStore::Peek(Bytes key, store::Found* found) {
  ++peeks_;
  if (const Result result = std::exchange(next_read_, Result::kOk); result != Result::kOk)
    return result;
  (void)ReadEntry(key, found);
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

// What a piece holds that may lie in the old value as FindToStage lent it.
Bytes FakeStore::Content(const Stored* old, Bytes piece) {
  if (old == nullptr || old->unseen == nullptr) return piece;
  const Bytes unseen = old->unseen->bytes();
  const auto offset =
      reinterpret_cast<uintptr_t>(piece.data()) - reinterpret_cast<uintptr_t>(unseen.data());
  return offset < unseen.size() ? Bytes(old->octets).substr(offset, piece.size()) : piece;
}

Result FakeStore::Commit() {
  staged_.clear();
  for (const Write& write : writes_) {
    if (Revision(write.key) != write.base_revision) {
      staged_.push_back({Result::kConflict, Revision(write.key)});
      continue;
    }
    Entry& entry = entries_[write.key];
    std::string octets;
    for (Bytes piece : write.pieces) octets.append(Content(entry.value.get(), piece));
    if (write.erase) {
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
