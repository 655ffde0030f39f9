#pragma once

// Index: for every key the newest revision and where its bytes lie, and older versions as long as a
// held look can see them.
//
// A commit number (seq) makes versions visible: a look is the newest published seq, taken in O(1).
// The committer adds versions under the next seq, which no look sees, then publishes them all at
// once, or withdraws them.
//
// Threads: Find, TakeLook, List: any number. "Committer" functions: one thread at a time.
// Cost: one short lock of one of kShards per key. Memory per key: one record of 40 bytes, its
// extents (24 each) and its key, rounded up to what malloc gives, and about 14 bytes of hash table.
//
// A record holds the segments of its entry and of its extents (Segment::Hold), so that none goes
// while a version needs it, and counts the newest versions into their live bytes.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/hash/hash.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "runtime/bytes.h"
#include "runtime/result.h"
#include "store/format.h"
#include "store/record_memory.h"
#include "store/stored_extent.h"

namespace pure::store {

class IndexRecord;

// What a look sees of a key.
struct Version {
  bool present = false;
  bool damaged = false;   // a check of its bytes failed before
  bool verified = false;  // a check of its bytes passed before
  uint64_t revision = 0;
  uint64_t seq = 0;  // of the commit that made it
  uint64_t size_bytes = 0;
};

struct IndexTotals {
  uint64_t keys = 0;          // present
  uint64_t live_bytes = 0;    // of present values
  uint64_t memory_bytes = 0;  // of records and tables
};

// One reader's held look. Thread: its reader's; the committer looks on.
class LookSlot {
 public:
  static constexpr uint64_t kNone = std::numeric_limits<uint64_t>::max();
  bool held() const { return seq() != kNone; }
  uint64_t seq() const { return seq_.load(std::memory_order_seq_cst); }

 private:
  friend class Index;
  std::atomic<uint64_t> seq_{kNone};
};

class Index {
 public:
  Index() = default;
  ~Index();
  Index(const Index&) = delete;
  Index& operator=(const Index&) = delete;

  // ---- Readers ----
  // A slot may not outlive the index; Remove before it dies.
  void AddSlot(LookSlot* slot) ABSL_LOCKS_EXCLUDED(slots_mutex_);
  void RemoveSlot(LookSlot* slot) ABSL_LOCKS_EXCLUDED(slots_mutex_);
  void TakeLook(LookSlot* slot) const;
  static void DropLook(LookSlot* slot) { slot->seq_.store(LookSlot::kNone); }

  // The newest version that the look sees. When it is present, `hold` is called with its extents
  // under a lock, so that it can hold their segments before the version may go. False: the look
  // sees no version of the key.
  bool Find(Bytes key, const LookSlot& look, Version* version,
            absl::FunctionRef<void(absl::Span<const StoredExtent>)> hold) const;
  // Remembers how a check of a version's bytes ended. Harmless when the version is gone.
  void MarkDamaged(Bytes key, uint64_t seq);
  void MarkVerified(Bytes key, uint64_t seq);
  // Visits present versions in no order; the key is lent for the call. A lock is held: visit may
  // not call the index.
  void VisitAll(const LookSlot& look,
                absl::FunctionRef<void(Bytes key, const Version& version,
                                       absl::Span<const StoredExtent> extents)>
                    visit) const;

  // ---- Committer ----
  // The commit that new looks see.
  uint64_t published() const { return published_.load(std::memory_order_acquire); }

  struct NewVersion {
    uint64_t base = 0;   // the newest revision that the key must have (also of this seq)
    bool moves = false;  // keeps revision `base`; else takes the next one
    uint64_t seq = 0;
    EntryKind kind = EntryKind::kWrite;
    uint32_t extent_count = 0;
  };
  // Adds a version, not to be seen yet. kOk: *record waits for Place; kConflict: *current is the
  // newest revision, which is not `base`, or the last that there can be; kAllocation.
  Result Add(Bytes key, const NewVersion& version, IndexRecord** record, uint64_t* current);
  // Says where the version's entry and extents lie. REQUIRES: once, as many extents as Add was
  // told.
  static void Place(IndexRecord* record, Segment* home, absl::Span<const StoredExtent> extents);
  // Takes back what Add gave, placed or not. REQUIRES: records of one key are withdrawn in the
  // reverse order of Add.
  void Withdraw(IndexRecord* record);
  // Makes all records of `seq` visible to looks taken from now on, and drops versions that no held
  // look sees. `records` in the order of Add. REQUIRES: seq > published().
  void Publish(absl::Span<IndexRecord* const> records, uint64_t seq);

  // Frees versions that no held look sees any more. Publish does it too.
  void DropUnseen();

  // ---- Opening a store, before any look is taken ----
  struct LoadedVersion {
    uint64_t revision = 0;
    uint64_t seq = 0;
    EntryKind kind = EntryKind::kWrite;
    // A segment may be null: gone in a compaction, which left another entry with this revision.
    Segment* home = nullptr;  // of the entry
    absl::Span<const StoredExtent> extents;
  };
  // The highest revision of a key counts; of equal ones, one whose segments are all there.
  // *replaced: this one counts for now. kAllocation.
  Result Load(Bytes key, const LoadedVersion& version, bool* replaced);
  // Forgets everything.
  void Clear();

  // ---- Compaction ----
  // Visits the keys of one shard, in no order, whose newest published version has its entry or an
  // extent in `segment`. A lock is held: visit may not call the index.
  void VisitUsersOf(const Segment* segment, size_t shard,
                    absl::FunctionRef<void(Bytes key)> visit) const;
  // Visits the newest published version of each key of one shard, absent ones too.
  struct StoredVersion {
    uint64_t revision = 0;
    uint64_t seq = 0;
    EntryKind kind = EntryKind::kWrite;
    const Segment* home = nullptr;
    absl::Span<const StoredExtent> extents;
  };
  void VisitShard(size_t shard,
                  absl::FunctionRef<void(Bytes key, const StoredVersion& version)> visit) const;
  // The same of one key. False: never written.
  bool VisitNewest(Bytes key, absl::FunctionRef<void(const StoredVersion& version)> visit) const;
  void SetPublished(uint64_t seq) { published_.store(seq); }

  IndexTotals totals() const;

  // With a handful of reader threads two seldom meet in one of 64.
  static constexpr size_t kShards = 64;  // 2^6: see ShardOf

 private:
  struct Slot {
    mutable IndexRecord* head;  // the newest version; replacing it keeps the key
  };
  struct KeyHash {
    using is_transparent = void;
    size_t operator()(Bytes key) const { return absl::HashOf(key); }
    size_t operator()(const Slot& slot) const;
  };
  struct KeyEqual {
    using is_transparent = void;
    bool operator()(const Slot& a, const Slot& b) const;
    bool operator()(const Slot& a, Bytes b) const;
    bool operator()(Bytes a, const Slot& b) const { return (*this)(b, a); }
  };
  struct Shard {
    mutable absl::Mutex mutex;
    absl::flat_hash_set<Slot, KeyHash, KeyEqual> slots ABSL_GUARDED_BY(mutex);
  };
  // A version that replaced another, which can go once every look sees `seq`.
  struct Replaced {
    IndexRecord* newer;
    uint64_t seq;
  };

  // By the highest bits: the tables of the shards use the others.
  Shard& ShardOf(size_t hash) const { return shards_[hash >> (sizeof(hash) * 8 - 6)]; }
  uint64_t OldestLook() const ABSL_LOCKS_EXCLUDED(slots_mutex_);
  void Count(const IndexRecord& record, const IndexRecord* older);
  void Free(IndexRecord* record);
  void FreeAll(IndexRecord* record);

  mutable std::array<Shard, kShards> shards_;
  std::atomic<uint64_t> published_{0};

  mutable absl::Mutex slots_mutex_;
  std::vector<LookSlot*> slots_ ABSL_GUARDED_BY(slots_mutex_);

  // The committer's.
  RecordMemory memory_;
  std::vector<Replaced> replaced_;  // by seq; the first replaced_begin_ are done
  size_t replaced_begin_ = 0;

  std::atomic<uint64_t> keys_{0};
  std::atomic<uint64_t> live_bytes_{0};
};

}  // namespace pure::store
