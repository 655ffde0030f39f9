#pragma once

// IndexRecord: one version of one key in an index. Private to the index.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include "absl/types/span.h"
#include "runtime/bytes.h"
#include "store/format.h"
#include "store/index.h"
#include "store/record_memory.h"
#include "store/segment.h"
#include "store/stored_extent.h"

namespace pure::store {

// This header, then its extents, then its key, in one piece of memory.
class IndexRecord {
 public:
  enum Flag : uint8_t { kDamaged = 1, kVerified = 2 };

  // Null: no memory.
  static IndexRecord* Make(RecordMemory* from, Bytes key, uint64_t revision, uint64_t seq,
                           EntryKind kind, uint32_t extent_count) {
    void* memory = from->Take(SizeOf(extent_count, key.size()));
    if (memory == nullptr) return nullptr;
    IndexRecord* record = new (memory) IndexRecord(revision, seq, kind, extent_count);
    record->key_bytes_ = static_cast<uint8_t>(key.size());
    for (StoredExtent& extent : record->extents()) new (&extent) StoredExtent;
    std::memcpy(record->key_data(), key.data(), key.size());
    return record;
  }

  size_t allocated_bytes() const { return SizeOf(extent_count_, key_bytes_); }

  Bytes key() const { return Bytes(const_cast<IndexRecord*>(this)->key_data(), key_bytes_); }
  absl::Span<StoredExtent> extents() {
    return {reinterpret_cast<StoredExtent*>(this + 1), extent_count_};
  }
  absl::Span<const StoredExtent> extents() const {
    return const_cast<IndexRecord*>(this)->extents();
  }
  uint64_t size_bytes() const {
    uint64_t size = 0;
    for (const StoredExtent& extent : extents()) size += extent.length;
    return size;
  }
  bool present() const { return kind_ == EntryKind::kWrite; }
  uint64_t revision() const { return revision_; }
  uint64_t seq() const { return seq_; }
  bool has(Flag flag) const { return (flags_ & flag) != 0; }
  void Set(Flag flag) { flags_ |= flag; }
  Segment* home() const { return home_; }
  bool complete() const {
    return home_ != nullptr &&
           std::all_of(extents().begin(), extents().end(),
                       [](const StoredExtent& extent) { return extent.segment != nullptr; });
  }
  bool Uses(const Segment* segment) const {
    return home_ == segment ||
           std::any_of(extents().begin(), extents().end(),
                       [segment](const StoredExtent& extent) { return extent.segment == segment; });
  }

  void Place(Segment* home, absl::Span<const StoredExtent> places) {
    home_ = home;
    if (home_ != nullptr) home_->Hold();
    std::copy(places.begin(), places.end(), extents().begin());
    for (const StoredExtent& extent : extents()) {
      if (extent.segment != nullptr) extent.segment->Hold();
    }
  }
  // Lets go of the segments.
  void Leave() {
    for (const StoredExtent& extent : extents()) {
      if (extent.segment != nullptr) extent.segment->Release();
    }
    if (home_ != nullptr) home_->Release();
  }
  // Counts it into the live bytes of its segments (1), or out again (-1).
  void CountLive(int64_t sign) const {
    if (home_ == nullptr) return;
    home_->AddLiveBytes(sign * static_cast<int64_t>(EntryBytes(key_bytes_, extent_count_)));
    for (const StoredExtent& extent : extents()) {
      if (extent.segment != nullptr) extent.segment->AddLiveBytes(sign * int64_t{extent.length});
    }
  }
  Index::StoredVersion stored() const {
    return {.revision = revision_, .seq = seq_, .kind = kind_, .home = home_, .extents = extents()};
  }

  IndexRecord* older = nullptr;

 private:
  static size_t SizeOf(uint32_t extent_count, size_t key_bytes) {
    return sizeof(IndexRecord) + extent_count * sizeof(StoredExtent) + key_bytes;
  }

  IndexRecord(uint64_t revision, uint64_t seq, EntryKind kind, uint32_t extent_count)
      : revision_(revision), seq_(seq), extent_count_(extent_count), kind_(kind) {}

  char* key_data() {
    return reinterpret_cast<char*>(this + 1) + extent_count_ * sizeof(StoredExtent);
  }

  Segment* home_ = nullptr;  // of the entry
  const uint64_t revision_;
  const uint64_t seq_;
  const uint32_t extent_count_;
  uint8_t key_bytes_ = 0;
  const EntryKind kind_;
  uint8_t flags_ = 0;
};

static_assert(sizeof(IndexRecord) == 40, "the memory per key is a promise");
static_assert(sizeof(StoredExtent) == 24, "the memory per key is a promise");
static_assert(alignof(StoredExtent) <= alignof(IndexRecord), "extents follow the header");

}  // namespace pure::store
