#include "modules/rows/chunk_tree.h"

#include <algorithm>
#include <utility>

#include "modules/rows/row.h"

namespace pure::modules {
namespace {

using Kind = ChunkEdit::Kind;

constexpr size_t kChildrenMax = 32;

ChunkNodePtr MakeNode(std::vector<ChunkNodePtr> children) {
  auto node = std::make_shared<ChunkNode>();
  node->level = children.front()->level + 1;
  node->first_id = children.front()->first_id;
  node->last_id = children.back()->last_id;
  for (const ChunkNodePtr& child : children) {
    node->rows += child->rows;
    node->bytes += child->bytes;
  }
  node->children = std::move(children);
  return node;
}

std::vector<Bytes> RowsOf(const ChunkNode& chunk) {
  const BlockView view(chunk.block);
  std::vector<Bytes> rows;
  rows.reserve(view.size() + 1);
  for (size_t i = 0; i < view.size(); ++i) rows.push_back(view.row(i));
  return rows;
}

// How many of them are the first half, by octets. REQUIRES: two rows.
size_t FirstHalf(absl::Span<const Bytes> rows) {
  const auto cost = [](Bytes row) { return sizeof(uint32_t) + row.size(); };
  size_t all = 0;
  for (const Bytes row : rows) all += cost(row);
  size_t count = 1;
  size_t octets = cost(rows[0]);
  while (count + 1 < rows.size() && octets + cost(rows[count]) <= all / 2) {
    octets += cost(rows[count++]);
  }
  return count;
}

// Appends two chunks, the first one with so many rows, in place of the one with that id. A part
// that stays as it was keeps the id; else the part does where row i, the new one, is.
bool Split(uint64_t id, absl::Span<const Bytes> rows, size_t first, size_t i, ChunkGap gap,
           std::vector<ChunkNodePtr>* out) {
  uint64_t first_id = id;
  uint64_t second_id = id;
  if (first == rows.size() - 1 && i == first) {
    second_id = IdBehind(id, gap);
  } else if (first == 1 && i == 0) {
    first_id = IdBefore(id, gap);
  } else if (i < first) {
    second_id = IdFarBehind(id, gap);
  } else {
    first_id = IdFarBefore(id, gap);
  }
  if (first_id == 0 || second_id == 0) return false;
  out->push_back(MakeChunk(first_id, rows.first(first)));
  out->push_back(MakeChunk(second_id, rows.subspan(first)));
  return true;
}

// Appends the children's node, or two when there are too many.
void AppendNodes(std::vector<ChunkNodePtr> children, size_t keep, std::vector<ChunkNodePtr>* out) {
  if (children.size() <= kChildrenMax) return out->push_back(MakeNode(std::move(children)));
  const auto middle = children.begin() + static_cast<ptrdiff_t>(keep);
  out->push_back(MakeNode({children.begin(), middle}));
  out->push_back(MakeNode({middle, children.end()}));
}

// The node above one or two; one with a single child would only make the way longer.
ChunkNodePtr Top(std::vector<ChunkNodePtr> nodes) {
  if (nodes.empty()) return nullptr;
  if (nodes.size() > 1) return MakeNode(std::move(nodes));
  ChunkNodePtr top = std::move(nodes[0]);
  while (top->children.size() == 1) top = ChunkNodePtr(top->children[0]);
  return top;
}

bool EditNode(const ChunkNode& node, size_t i, const ChunkEdit& edit, ChunkGap gap,
              std::vector<ChunkNodePtr>* out) {
  if (node.level == 0) return EditChunk(node, i, edit, gap, out);
  // What is put between two chunks goes to the end of the first.
  const size_t behind = edit.kind == Kind::kInsert ? 1 : 0;
  size_t c = 0;
  for (; c + 1 < node.children.size() && i >= node.children[c]->rows + behind; ++c) {
    i -= node.children[c]->rows;
  }
  if (c > 0) gap.before = node.children[c - 1]->last_id;
  if (c + 1 < node.children.size()) gap.behind = node.children[c + 1]->first_id;
  std::vector<ChunkNodePtr> children;
  children.reserve(node.children.size() + 1);
  const auto edited = node.children.begin() + static_cast<ptrdiff_t>(c);
  children.insert(children.end(), node.children.begin(), edited);
  if (!EditNode(**edited, i, edit, gap, &children)) return false;
  children.insert(children.end(), edited + 1, node.children.end());
  const size_t half = children.size() / 2;
  if (!children.empty()) AppendNodes(std::move(children), half, out);
  return true;
}

// A tree that grows at its end: its nodes stay full.
void AppendTo(const ChunkNode& node, ChunkNodePtr chunk, std::vector<ChunkNodePtr>* out) {
  std::vector<ChunkNodePtr> children(node.children.begin(), node.children.end() - 1);
  children.reserve(node.children.size() + 1);
  if (node.level == 1) {
    children.push_back(node.children.back());
    children.push_back(std::move(chunk));
  } else {
    AppendTo(*node.children.back(), std::move(chunk), &children);
  }
  AppendNodes(std::move(children), kChildrenMax, out);
}

}  // namespace

ChunkNodePtr MakeChunk(uint64_t id, absl::Span<const Bytes> rows) {
  auto chunk = std::make_shared<ChunkNode>();
  chunk->first_id = chunk->last_id = id;
  chunk->rows = rows.size();
  for (const Bytes row : rows) chunk->bytes += row.size();
  chunk->block.resize(BlockBytes(rows));
  EncodeBlock(rows, chunk->block.data());
  return chunk;
}

ChunkNodePtr WithId(const ChunkNode& chunk, uint64_t id) {
  auto copy = std::make_shared<ChunkNode>(chunk);
  copy->first_id = copy->last_id = id;
  return copy;
}

ChunkNodePtr MakeTree(std::vector<ChunkNodePtr> nodes) {
  while (nodes.size() > 1) {
    std::vector<ChunkNodePtr> above;
    for (size_t begin = 0; begin < nodes.size(); begin += kChildrenMax) {
      const size_t end = std::min(nodes.size(), begin + kChildrenMax);
      above.push_back(MakeNode({nodes.begin() + static_cast<ptrdiff_t>(begin),
                                nodes.begin() + static_cast<ptrdiff_t>(end)}));
    }
    nodes = std::move(above);
  }
  return nodes.empty() ? nullptr : std::move(nodes[0]);
}

ChunkNodePtr AppendChunk(const ChunkNodePtr& root, ChunkNodePtr chunk) {
  if (root == nullptr) return chunk;
  if (root->level == 0) return MakeNode({root, std::move(chunk)});
  std::vector<ChunkNodePtr> nodes;
  AppendTo(*root, std::move(chunk), &nodes);
  return Top(std::move(nodes));
}

void CollectChunks(const ChunkNodePtr& root, std::vector<ChunkNodePtr>* out) {
  if (root == nullptr) return;
  if (root->level == 0) return out->push_back(root);
  for (const ChunkNodePtr& child : root->children) CollectChunks(child, out);
}

bool EditChunk(const ChunkNode& chunk, size_t i, const ChunkEdit& edit, ChunkGap gap,
               std::vector<ChunkNodePtr>* out) {
  std::vector<Bytes> rows = RowsOf(chunk);
  const auto at = rows.begin() + static_cast<ptrdiff_t>(i);
  const bool at_end = edit.kind == Kind::kInsert && i == rows.size();
  const bool at_start = edit.kind == Kind::kInsert && i == 0;
  if (edit.kind == Kind::kInsert) {
    rows.insert(at, edit.row);
  } else if (edit.kind == Kind::kSet) {
    *at = edit.row;
  } else {
    rows.erase(at);
    if (rows.empty()) return true;
  }
  const size_t bytes = BlockBytes(rows);
  const bool full = bytes > (at_end || at_start ? kChunkBytes : kChunkSplitBytes);
  const bool grows = edit.kind != Kind::kRemove;
  if (!full || !grows || rows.size() == 1) {
    out->push_back(MakeChunk(chunk.first_id, rows));
    return true;
  }
  return Split(chunk.first_id, rows,
               at_end     ? rows.size() - 1
               : at_start ? 1
                          : FirstHalf(rows),
               i, gap, out);
}

bool EditTree(ChunkNodePtr* root, size_t i, const ChunkEdit& edit, ChunkGap gap) {
  std::vector<ChunkNodePtr> nodes;
  if (!EditNode(**root, i, edit, gap, &nodes)) return false;
  *root = Top(std::move(nodes));
  return true;
}

}  // namespace pure::modules
