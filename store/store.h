#pragma once

// Store: the port to durable keyed values. Executors and tools see the store through this interface
// only; the memory store, the extent store and, later, a replicated engine stand behind it.
//
// A value is a run of octets kept as extents (immutable stored bytes). Every key has a revision
// that starts at 1, grows by one with each committed write or erasure of it, and is never used
// again, also after an erasure.
//
// Threads: Store: any thread. StoreHandle: one thread's; as many handles as threads, and their
// commits are grouped (one leader writes and syncs for all that wait).

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "absl/base/attributes.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/bytes.h"
#include "runtime/resource.h"
#include "runtime/result.h"

namespace pure::store {

inline constexpr size_t kKeyBytesMax = 255;  // of a store key: 1 to 255 octets of any value
// Keys that begin with the octet 0 are the program's own, as the module's text: counters leave them
// out.
inline bool IsSystemKey(Bytes key) { return !key.empty() && key.front() == '\0'; }

// A key's newest state in a look.
struct Found {
  bool present = false;   // false: never written, or erased
  uint64_t revision = 0;  // of the newest write or erasure; 0: never written
  size_t size_bytes = 0;  // of the value
  Resource value;         // lent; outlives the look. Filled by Find, not by Peek
};

// How one staged write ended.
struct Staged {
  Result result =
      Result::kOk;  // kOk; kConflict when another handle's commit changed the key after the base
  uint64_t revision = 0;  // kOk: the new one; kConflict: the current one
};

class StoreHandle {
 public:
  virtual ~StoreHandle() = default;

  // Holds the newest commit for reading, instead of the one held before. O(1). A new handle holds
  // none.
  virtual void TakeLook() = 0;
  // Holds none. What was lent from it stays valid.
  virtual void DropLook() = 0;

  // Reads a key in the held look, as it was committed; what this handle staged is not seen.
  // Find lends the value after checking its checksum. kOk (also for an absent key: see
  // Found::present); kStorage: the stored bytes are damaged or unreadable (never an older value
  // instead); kAllocation. REQUIRES: a look is held.
  virtual Result Find(Bytes key, Found* found) = 0;
  // As Find, but the bytes are not checked: for values that are only staged again, whole or in
  // parts. Nobody may look at them. Cost: not that of the value's size.
  virtual Result FindToStage(Bytes key, Found* found) = 0;
  // The same without the value: never touches the stored bytes.
  virtual Result Peek(Bytes key, Found* found) = 0;

  // Stages a write: at Commit the key becomes the concatenation of `pieces`, if its revision is
  // still `base_revision` (0: never written). The pieces are borrowed until Commit or Discard
  // returns; the array of them until Stage returns. Pieces that lie in the value which the last
  // Find or FindToStage of this handle lent for the key are shared with it, not written again; the
  // lent value is kept until Commit or Discard returns. kLimit: what is new is larger than one save
  // can hold, alone or together with what is staged; kStorage: a value of which a part is shared is
  // damaged; kAllocation. At most one write a key.
  virtual Result Stage(Bytes key, uint64_t base_revision, absl::Span<const Bytes> pieces) = 0;
  // Stages an erasure, which takes a revision too.
  virtual Result StageErase(Bytes key, uint64_t base_revision) = 0;

  // Makes everything staged durable with one save, all or none, and publishes it to later looks;
  // entries that lost to another handle's commit are left out. Returns once it is durable or has
  // failed; nothing is staged afterwards. kOk: each entry ended as staged(i) says. Known not
  // applied: kFull, kAllocation, kBusy, kStorage (also: the store refuses writes after a failed
  // sync). kUncertain: a sync failed; the store refuses writes from now on. With nothing staged:
  // kOk without a save.
  virtual Result Commit() = 0;
  // Forgets what is staged.
  virtual void Discard() = 0;

  // Of the last Commit, in the order of staging.
  virtual absl::Span<const Staged> staged() const ABSL_ATTRIBUTE_LIFETIME_BOUND = 0;
  // Payload bytes that Stage would still take into this save.
  virtual size_t stage_bytes_left() const = 0;
};

struct StoreCounters {
  uint64_t commit_groups = 0;    // saves of commits: frames written and synced
  uint64_t grouped_commits = 0;  // commits that shared another's save
  uint64_t keys = 0;             // present keys
  uint64_t live_bytes = 0;       // of present values
  uint64_t store_bytes = 0;      // on disk, in all segments
  uint64_t dead_bytes = 0;       // of them written and not needed any more
  uint64_t segments = 0;
  uint64_t index_bytes = 0;    // of memory, for all keys
  uint64_t written_bytes = 0;  // of all saves of this process, whole blocks
  uint64_t moved_bytes = 0;    // of values that compaction wrote again
  uint64_t compactions = 0;    // segments given back
};

enum class StoreState : uint8_t {
  kOpen,
  kPoisoned,  // a sync failed: no write until the process has been started anew
  kClosed,
};

class Store {
 public:
  virtual ~Store() = default;

  // A handle may not outlive its store. Null: no memory.
  virtual std::unique_ptr<StoreHandle> NewHandle() = 0;

  // Visits present keys that begin with `prefix` in byte order, as of one look. `visit` returns
  // false to stop. kStorage, kAllocation: as Find; the visits before were true.
  virtual Result List(
      Bytes prefix,
      const std::function<bool(Bytes key, uint64_t revision, size_t size_bytes)>& visit) = 0;

  virtual StoreState state() const = 0;
  // Why it is poisoned, for a person: what failed, errno in words, segment, offset. OK otherwise.
  virtual absl::Status failure() const = 0;
  virtual StoreCounters counters() const = 0;

  // Seals and syncs, so that the next open repairs nothing. No commit may run. Idempotent.
  virtual absl::Status Close() = 0;
};

// The word for the storage kind in the start line of the server.
inline constexpr Bytes kStorageName = "immutable-byte-extents-v1";

}  // namespace pure::store
