#pragma once

// Mover: writes values of an open store again, in other places, as ordinary saves that keep the
// revision. What moves is checked, and keeps its checksums: they are moved along, never computed
// from what was read.
//
// Thread: one at a time. Lifetime: borrows index and committer. Cost: one buffer of batch_bytes,
// and one as long as the longest extent that moved beyond that.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "runtime/bytes.h"
#include "runtime/result.h"
#include "store/committer.h"
#include "store/index.h"
#include "store/staging.h"
#include "store/stored_extent.h"
#include "store/value_parts.h"

namespace pure::store {

class Mover {
 public:
  // Of a batch. Much shorter than a segment, so that hardly any room is left over at its end.
  static size_t BatchBytes(uint64_t segment_bytes, uint64_t bytes_max) {
    return static_cast<size_t>(std::clamp<uint64_t>(segment_bytes / 8, 4096, bytes_max));
  }
  static constexpr size_t kBatchEntries = 256;

  // What becomes of an extent.
  enum class Fate : uint8_t {
    kStays,
    kMoves,  // into an extent of its own
    kJoins,  // moves, and goes on in the extent of the one before it, which moves as well
  };
  // Sets the fates of a version's extents, all kStays at first. False: the version stays as it is.
  // Called under a lock: it may not call the index.
  using Choose =
      absl::FunctionRef<bool(const Index::StoredVersion& version, absl::Span<Fate> fates)>;

  Mover(Index* index ABSL_ATTRIBUTE_LIFETIME_BOUND,
        Committer* committer ABSL_ATTRIBUTE_LIFETIME_BOUND, size_t batch_bytes)
      : index_(index),
        committer_(committer),
        batch_bytes_(batch_bytes),
        staging_(kExtentBytesMax) {}
  ~Mover() { Discard(); }
  Mover(const Mover&) = delete;
  Mover& operator=(const Mover&) = delete;

  // Adds the newest version of a key to the batch, if `choose` wants it. Extents that the batch has
  // no room for stay for now. kOk: *whole says whether all that was wanted is in the batch;
  // kStorage: a byte that was to move is damaged, and nothing of this key was added.
  // REQUIRES: !full().
  Result Add(Bytes key, Choose choose, bool* whole);
  bool empty() const { return entries_ == 0; }
  bool full() const { return no_room_ || entries_ >= kBatchEntries; }
  // Saves the batch. A key that was written meanwhile keeps its newer value. As
  // StoreHandle::Commit.
  Result Commit();
  // Forgets the batch.
  void Discard();

  // Of values that moved, and of the frames that took, by themselves.
  uint64_t moved_bytes() const { return moved_bytes_.load(std::memory_order_relaxed); }
  uint64_t frame_bytes() const { return frame_bytes_.load(std::memory_order_relaxed); }

 private:
  Result BuildValue(bool* whole);
  Result Read(const StoredExtent& extent, MutableBytes into);
  // Room for the bytes of one more extent. Empty: not in this batch.
  MutableBytes Room(uint32_t length);

  Index* const index_;
  Committer* const committer_;
  const size_t batch_bytes_;
  Staging staging_;
  CommitRequest request_;
  std::vector<StoredExtent> held_;  // of the batch
  size_t key_begin_ = 0;            // those of the key at hand, in held_
  std::vector<Fate> fates_;         // of them
  ValueParts value_;
  // The bytes of the batch that move.
  std::vector<char> buffer_;
  size_t buffered_ = 0;
  std::vector<char> large_;
  bool no_room_ = false;
  size_t entries_ = 0;
  uint64_t entries_bytes_ = 0;
  std::atomic<uint64_t> moved_bytes_{0};
  std::atomic<uint64_t> frame_bytes_{0};
};

}  // namespace pure::store
