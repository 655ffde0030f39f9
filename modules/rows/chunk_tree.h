#pragma once

// ChunkTree: the chunks of a sequence as the leaves of a tree that is never changed: an edit makes
// new nodes along one way down, and shares all others.
//
// Threads: nodes are read by any. Cost: an edit copies one chunk and the nodes above it.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "modules/rows/chunk_ids.h"
#include "runtime/bytes.h"

namespace pure::modules {

// A chunk takes no more rows at its ends beyond the first, and is split beyond the second.
inline constexpr size_t kChunkBytes = 2048;
inline constexpr size_t kChunkSplitBytes = 4096;

// A chunk, or a node above chunks; level 0 is a chunk.
struct ChunkNode;
using ChunkNodePtr = std::shared_ptr<const ChunkNode>;
struct ChunkNode {
  uint32_t level = 0;
  uint64_t rows = 0;
  uint64_t bytes = 0;  // of all rows
  uint64_t first_id = 0;
  uint64_t last_id = 0;
  std::vector<ChunkNodePtr> children;  // of a node
  std::string block;                   // of a chunk (row.h)
};

struct ChunkEdit {
  enum class Kind : uint8_t { kInsert, kSet, kRemove };

  Kind kind = Kind::kInsert;
  Bytes row = {};
};

// REQUIRES: rows.
ChunkNodePtr MakeChunk(uint64_t id, absl::Span<const Bytes> rows);
ChunkNodePtr WithId(const ChunkNode& chunk, uint64_t id);

// Null for none.
ChunkNodePtr MakeTree(std::vector<ChunkNodePtr> chunks);
ChunkNodePtr AppendChunk(const ChunkNodePtr& root, ChunkNodePtr chunk);  // root: may be null
void CollectChunks(const ChunkNodePtr& root, std::vector<ChunkNodePtr>* out);

// Appends what takes the chunk's place: nothing, one or two chunks. False: there is no id for a
// second one, and nothing is appended.
bool EditChunk(const ChunkNode& chunk, size_t i, const ChunkEdit& edit, ChunkGap gap,
               std::vector<ChunkNodePtr>* out);

// The same for a tree; *root becomes null when it has no more rows.
bool EditTree(ChunkNodePtr* root, size_t i, const ChunkEdit& edit, ChunkGap gap);

}  // namespace pure::modules
