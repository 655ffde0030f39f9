#pragma once

// Rows: a sequence of rows that is never changed: each change makes a new one, which shares with
// the old all but the way to what differs. So keeping an old one costs nothing, and it may be read
// while new ones are made.
//
// The rows lie in chunks of about 2 KiB. A chunk has an id, which grows along the sequence: by it
// the chunks are stored one by one (saved_rows.h). The last chunk lies beside a tree of the others
// (chunk_tree.h), so that what grows at its end costs the same however long it is.
//
// Threads: any, as of a value: two threads may read one, or each its own copy. Lifetime: what is
// lent lives as long as any copy. Cost: copying and Push are O(1), reading a row and other changes
// are O(log n); a change copies one chunk and the nodes above it. Where so many were put in at one
// place that ids have run out, some chunks around it get new ones.

#include <cstddef>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "modules/rows/chunk_tree.h"
#include "runtime/bytes.h"

namespace pure::modules {

class Rows {
 public:
  struct Chunk {
    uint64_t id = 0;
    Bytes block;  // row.h
  };

  // Without rows.
  Rows() = default;
  // Of stored chunks, in the order of their ids. REQUIRES: each is a block with rows.
  static Rows OfChunks(absl::Span<const Chunk> chunks);

  size_t size() const;
  size_t size_bytes() const;  // of all rows
  // Whether nothing was changed between the two; they may be equal all the same.
  bool IsSameAs(const Rows& other) const { return tree_ == other.tree_ && last_ == other.last_; }

  // REQUIRES: i < size().
  Bytes At(size_t i) const;
  // The rows from At(i) to the end of its chunk: *chunk is its block, and the row is number
  // *position in it.
  void ChunkAt(size_t i, Bytes* chunk, size_t* position) const;

  // REQUIRES: i <= size(), or i < size() for what is there. A row has less than 4 GiB.
  void Insert(size_t i, Bytes row);
  void Push(Bytes row) { Insert(size(), row); }
  void Set(size_t i, Bytes row);
  void Remove(size_t i);

  // The first row that is not before what is looked for, or size(). `order`: less than 0 when a row
  // is before it. REQUIRES: the rows are in that order.
  size_t LowerBound(absl::FunctionRef<int(Bytes row)> order) const;

  // Visits the chunks that `now` has and `before` has not, or has with other octets; and those that
  // it has no more, with an empty block. In the order of their ids. Cost: by what differs.
  static void Diff(const Rows& before, const Rows& now,
                   absl::FunctionRef<void(const Chunk&)> visit);

 private:
  size_t tree_rows() const { return tree_ == nullptr ? 0 : tree_->rows; }

  void Edit(size_t i, const ChunkEdit& edit);
  // False: there is no id for a chunk more.
  bool TryEdit(size_t i, const ChunkEdit& edit);
  // Spreads ids around row i, so that there is room there.
  void MakeRoom(size_t i);

  ChunkNodePtr tree_;  // may be null
  ChunkNodePtr last_;  // the last chunk; null when it was removed, or when there are no rows
};

}  // namespace pure::modules
