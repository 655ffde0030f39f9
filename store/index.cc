#include "store/index.h"

#include <algorithm>
#include <utility>

#include "runtime/check.h"
#include "store/index_record.h"
#include "store/planted_bug.h"
#include "store/store.h"

namespace pure::store {

namespace {

const IndexRecord* NewestSeen(const IndexRecord* record, uint64_t look) {
  while (record != nullptr && record->seq() > look) record = record->older;
  return record;
}

Version VersionOf(const IndexRecord& record) {
  return {.present = record.present(),
          .damaged = record.has(IndexRecord::kDamaged),
          .verified = record.has(IndexRecord::kVerified),
          .revision = record.revision(),
          .seq = record.seq(),
          .size_bytes = record.size_bytes()};
}

}  // namespace

size_t Index::KeyHash::operator()(const Slot& slot) const { return absl::HashOf(slot.head->key()); }

bool Index::KeyEqual::operator()(const Slot& a, const Slot& b) const {
  return a.head->key() == b.head->key();
}

bool Index::KeyEqual::operator()(const Slot& a, Bytes b) const { return a.head->key() == b; }

Index::~Index() { Clear(); }

void Index::Clear() {
  keys_ = 0;
  live_bytes_ = 0;
  for (Shard& shard : shards_) {
    absl::MutexLock lock(&shard.mutex);
    // A set may not hash what it holds while it is torn down, and does not.
    for (const Slot& slot : shard.slots) {
      slot.head->CountLive(-1);
      FreeAll(slot.head);
    }
    shard.slots = {};
  }
}

void Index::AddSlot(LookSlot* slot) {
  absl::MutexLock lock(&slots_mutex_);
  slots_.push_back(slot);
}

void Index::RemoveSlot(LookSlot* slot) {
  absl::MutexLock lock(&slots_mutex_);
  slots_.erase(std::find(slots_.begin(), slots_.end(), slot));
}

void Index::TakeLook(LookSlot* slot) const {
  // The look counts as held once it is in the slot. If nothing was published since it was read, a
  // later publication sees the slot (all four accesses are sequentially consistent) and keeps what
  // the look can see.
  uint64_t seq = published_.load(std::memory_order_seq_cst);
  for (;;) {
    slot->seq_.store(seq, std::memory_order_seq_cst);
    const uint64_t now = published_.load(std::memory_order_seq_cst);
    if (now == seq) return;
    seq = now;
  }
}

bool Index::Find(Bytes key, const LookSlot& look, Version* version,
                 absl::FunctionRef<void(absl::Span<const StoredExtent>)> hold) const {
  const size_t hash = absl::HashOf(key);
  const Shard& shard = ShardOf(hash);
  absl::ReaderMutexLock lock(&shard.mutex);
  const auto slot = shard.slots.find(key, hash);
  if (slot == shard.slots.end()) return false;
  const IndexRecord* record = NewestSeen(slot->head, look.seq());
  if (record == nullptr) return false;
  *version = VersionOf(*record);
  if (record->present()) hold(record->extents());
  return true;
}

void Index::MarkDamaged(Bytes key, uint64_t seq) {
  const size_t hash = absl::HashOf(key);
  Shard& shard = ShardOf(hash);
  absl::MutexLock lock(&shard.mutex);
  const auto slot = shard.slots.find(key, hash);
  if (slot == shard.slots.end()) return;
  for (IndexRecord* record = slot->head; record != nullptr; record = record->older) {
    if (record->seq() == seq) record->Set(IndexRecord::kDamaged);
  }
}

void Index::MarkVerified(Bytes key, uint64_t seq) {
  const size_t hash = absl::HashOf(key);
  Shard& shard = ShardOf(hash);
  absl::MutexLock lock(&shard.mutex);
  const auto slot = shard.slots.find(key, hash);
  if (slot == shard.slots.end()) return;
  for (IndexRecord* record = slot->head; record != nullptr; record = record->older) {
    if (record->seq() == seq) record->Set(IndexRecord::kVerified);
  }
}

void Index::VisitAll(const LookSlot& look,
                     absl::FunctionRef<void(Bytes key, const Version& version,
                                            absl::Span<const StoredExtent> extents)>
                         visit) const {
  for (const Shard& shard : shards_) {
    absl::ReaderMutexLock lock(&shard.mutex);
    for (const Slot& slot : shard.slots) {
      const IndexRecord* record = NewestSeen(slot.head, look.seq());
      if (record != nullptr && record->present()) {
        visit(record->key(), VersionOf(*record), record->extents());
      }
    }
  }
}

Result Index::Add(Bytes key, const NewVersion& version, IndexRecord** record, uint64_t* current) {
  const size_t hash = absl::HashOf(key);
  Shard& shard = ShardOf(hash);
  absl::MutexLock lock(&shard.mutex);
  const auto slot = shard.slots.find(key, hash);
  const bool known = slot != shard.slots.end();
  const uint64_t newest = known ? slot->head->revision() : 0;
  const bool used_up = newest == kRevisionMax && !version.moves;
  if (newest != version.base || used_up) {
    *current = newest;
    return Result::kConflict;
  }
  *record = IndexRecord::Make(
      &memory_, key, version.base + (version.moves && !Planted(Bug::kMoveTakesRevision) ? 0 : 1),
      version.seq, version.kind, version.extent_count);
  if (*record == nullptr) return Result::kAllocation;
  if (known) {
    (*record)->older = slot->head;
    slot->head = *record;
  } else {
    shard.slots.insert(Slot{*record});
  }
  return Result::kOk;
}

void Index::Place(IndexRecord* record, Segment* home, absl::Span<const StoredExtent> extents) {
  record->Place(home, extents);
}

void Index::Free(IndexRecord* record) {
  record->Leave();
  memory_.Give(record, record->allocated_bytes());
}

void Index::FreeAll(IndexRecord* record) {
  while (record != nullptr) Free(std::exchange(record, record->older));
}

void Index::Withdraw(IndexRecord* record) {
  const size_t hash = absl::HashOf(record->key());
  Shard& shard = ShardOf(hash);
  absl::MutexLock lock(&shard.mutex);
  const auto slot = shard.slots.find(record->key(), hash);
  PURE_CHECK(slot != shard.slots.end() && slot->head == record,
             "only the newest version is withdrawn");
  if (record->older != nullptr) {
    slot->head = record->older;
  } else {
    shard.slots.erase(slot);
  }
  Free(record);
}

void Index::Count(const IndexRecord& record, const IndexRecord* older) {
  const bool counts = !IsSystemKey(record.key());
  record.CountLive(1);
  if (record.present()) {
    keys_.fetch_add(counts ? 1 : 0, std::memory_order_relaxed);
    live_bytes_.fetch_add(record.size_bytes(), std::memory_order_relaxed);
  }
  if (older == nullptr) return;
  older->CountLive(-1);
  if (!older->present()) return;
  keys_.fetch_sub(counts ? 1 : 0, std::memory_order_relaxed);
  live_bytes_.fetch_sub(older->size_bytes(), std::memory_order_relaxed);
}

void Index::Publish(absl::Span<IndexRecord* const> records, uint64_t seq) {
  PURE_CHECK(seq > published(), "commits are published in order");
  for (IndexRecord* record : records) {
    Count(*record, record->older);
    if (record->older != nullptr) replaced_.push_back({record, seq});
  }
  published_.store(seq, std::memory_order_seq_cst);
  DropUnseen();
}

uint64_t Index::OldestLook() const {
  absl::MutexLock lock(&slots_mutex_);
  uint64_t oldest = published_.load(std::memory_order_seq_cst);
  for (const LookSlot* slot : slots_) oldest = std::min(oldest, slot->seq());
  return oldest;
}

void Index::DropUnseen() {
  if (replaced_begin_ == replaced_.size()) return;
  const uint64_t oldest = OldestLook();
  while (replaced_begin_ < replaced_.size() && replaced_[replaced_begin_].seq <= oldest) {
    IndexRecord* newer = replaced_[replaced_begin_++].newer;
    Shard& shard = ShardOf(absl::HashOf(newer->key()));
    IndexRecord* unseen;
    {
      absl::MutexLock lock(&shard.mutex);
      unseen = std::exchange(newer->older, nullptr);
    }
    FreeAll(unseen);
  }
  if (replaced_begin_ == replaced_.size()) {
    replaced_.clear();
    replaced_begin_ = 0;
  } else if (replaced_begin_ > 1024 && replaced_begin_ * 2 > replaced_.size()) {
    replaced_.erase(replaced_.begin(), replaced_.begin() + replaced_begin_);
    replaced_begin_ = 0;
  }
}

Result Index::Load(Bytes key, const LoadedVersion& version, bool* replaced) {
  const size_t hash = absl::HashOf(key);
  Shard& shard = ShardOf(hash);
  absl::MutexLock lock(&shard.mutex);
  const auto slot = shard.slots.find(key, hash);
  IndexRecord* older = slot == shard.slots.end() ? nullptr : slot->head;
  *replaced = older == nullptr || older->revision() < version.revision ||
              (older->revision() == version.revision && !older->complete());
  if (Planted(Bug::kKeepGone)) {
    *replaced = older == nullptr || older->revision() < version.revision;
  }
  if (!*replaced) return Result::kOk;
  IndexRecord* record =
      IndexRecord::Make(&memory_, key, version.revision, version.seq, version.kind,
                        static_cast<uint32_t>(version.extents.size()));
  if (record == nullptr) return Result::kAllocation;
  record->Place(version.home, version.extents);
  Count(*record, older);
  if (older == nullptr) {
    shard.slots.insert(Slot{record});
  } else {
    slot->head = record;
    Free(older);
  }
  return Result::kOk;
}

void Index::VisitUsersOf(const Segment* segment, size_t shard,
                         absl::FunctionRef<void(Bytes key)> visit) const {
  const uint64_t seen = published();
  absl::ReaderMutexLock lock(&shards_[shard].mutex);
  for (const Slot& slot : shards_[shard].slots) {
    const IndexRecord* record = NewestSeen(slot.head, seen);
    if (record != nullptr && record->Uses(segment)) visit(record->key());
  }
}

void Index::VisitShard(
    size_t shard, absl::FunctionRef<void(Bytes key, const StoredVersion& version)> visit) const {
  const uint64_t seen = published();
  absl::ReaderMutexLock lock(&shards_[shard].mutex);
  for (const Slot& slot : shards_[shard].slots) {
    const IndexRecord* record = NewestSeen(slot.head, seen);
    if (record != nullptr) visit(record->key(), record->stored());
  }
}

bool Index::VisitNewest(Bytes key,
                        absl::FunctionRef<void(const StoredVersion& version)> visit) const {
  const size_t hash = absl::HashOf(key);
  const uint64_t seen = published();
  const Shard& shard = ShardOf(hash);
  absl::ReaderMutexLock lock(&shard.mutex);
  const auto slot = shard.slots.find(key, hash);
  if (slot == shard.slots.end()) return false;
  const IndexRecord* record = NewestSeen(slot->head, seen);
  if (record != nullptr) visit(record->stored());
  return record != nullptr;
}

IndexTotals Index::totals() const {
  IndexTotals totals{.keys = keys_.load(std::memory_order_relaxed),
                     .live_bytes = live_bytes_.load(std::memory_order_relaxed),
                     .memory_bytes = memory_.taken_bytes()};
  for (const Shard& shard : shards_) {
    absl::ReaderMutexLock lock(&shard.mutex);
    totals.memory_bytes += shard.slots.capacity() * (sizeof(Slot) + 1);
  }
  return totals;
}

}  // namespace pure::store
