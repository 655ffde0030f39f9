#include "modules/rows/rows.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "modules/rows/row.h"
#include "runtime/check.h"

namespace pure::modules {
namespace {

// Between two ids, after room was made.
constexpr uint64_t kRoomMin = uint64_t{1} << 20;

// Gives the chunks [begin, end) ids at the same distance. False: that would leave little room.
bool Spread(size_t begin, size_t end, std::vector<ChunkNodePtr>* chunks) {
  ChunkGap gap;
  if (begin > 0) gap.before = (*chunks)[begin - 1]->first_id;
  if (end < chunks->size()) gap.behind = (*chunks)[end]->first_id;
  const uint64_t step = (gap.behind - gap.before) / (end - begin + 1);
  if (step < kRoomMin) return false;
  for (size_t i = begin; i < end; ++i) {
    (*chunks)[i] = WithId(*(*chunks)[i], gap.before + step * (i - begin + 1));
  }
  return true;
}

// Goes along two sequences, and passes over what they share.
class Differ {
 public:
  using Nodes = std::vector<const ChunkNode*>;  // what is left, the next one last

  explicit Differ(absl::FunctionRef<void(const Rows::Chunk&)> visit) : visit_(visit) {}

  void Run(Nodes old_nodes, Nodes new_nodes) {
    while (!old_nodes.empty() || !new_nodes.empty()) Step(&old_nodes, &new_nodes);
  }

 private:
  void Step(Nodes* old_nodes, Nodes* new_nodes) {
    if (new_nodes->empty()) return Take(old_nodes, true);
    if (old_nodes->empty()) return Take(new_nodes, false);
    const ChunkNode& old_node = *old_nodes->back();
    const ChunkNode& new_node = *new_nodes->back();
    if (&old_node == &new_node) {
      old_nodes->pop_back();
      new_nodes->pop_back();
    } else if (old_node.last_id < new_node.first_id) {
      Take(old_nodes, true);
    } else if (new_node.last_id < old_node.first_id) {
      Take(new_nodes, false);
    } else if (old_node.level > 0 || new_node.level > 0) {
      // The higher one may hold the other.
      if (old_node.level >= new_node.level) Open(old_nodes);
      if (new_node.level >= old_node.level) Open(new_nodes);
    } else {
      if (old_node.block != new_node.block) visit_({new_node.first_id, new_node.block});
      old_nodes->pop_back();
      new_nodes->pop_back();
    }
  }

  // What only one of them has.
  void Take(Nodes* nodes, bool gone) {
    const ChunkNode& node = *nodes->back();
    if (node.level > 0) return Open(nodes);
    nodes->pop_back();
    visit_({node.first_id, gone ? Bytes() : Bytes(node.block)});
  }

  static void Open(Nodes* nodes) {
    const ChunkNode& node = *nodes->back();
    nodes->pop_back();
    for (auto child = node.children.rbegin(); child != node.children.rend(); ++child) {
      nodes->push_back(child->get());
    }
  }

  const absl::FunctionRef<void(const Rows::Chunk&)> visit_;
};

}  // namespace

Rows Rows::OfChunks(absl::Span<const Chunk> chunks) {
  std::vector<ChunkNodePtr> nodes;
  for (const Chunk& chunk : chunks) {
    std::vector<Bytes> rows;
    const BlockView view(chunk.block);
    for (size_t r = 0; r < view.size(); ++r) rows.push_back(view.row(r));
    nodes.push_back(MakeChunk(chunk.id, rows));
  }
  Rows rows;
  if (nodes.empty()) return rows;
  rows.last_ = std::move(nodes.back());
  nodes.pop_back();
  rows.tree_ = MakeTree(std::move(nodes));
  return rows;
}

size_t Rows::size() const { return tree_rows() + (last_ == nullptr ? 0 : last_->rows); }

size_t Rows::size_bytes() const {
  return (tree_ == nullptr ? 0 : tree_->bytes) + (last_ == nullptr ? 0 : last_->bytes);
}

void Rows::ChunkAt(size_t i, Bytes* chunk, size_t* position) const {
  PURE_CHECK(i < size(), "a row is asked for that is not there");
  const bool in_last = i >= tree_rows();
  const ChunkNode* node = in_last ? last_.get() : tree_.get();
  if (in_last) i -= tree_rows();
  while (node->level > 0) {
    size_t c = 0;
    for (; i >= node->children[c]->rows; ++c) i -= node->children[c]->rows;
    node = node->children[c].get();
  }
  *chunk = node->block;
  *position = i;
}

Bytes Rows::At(size_t i) const {
  Bytes chunk;
  size_t position = 0;
  ChunkAt(i, &chunk, &position);
  return BlockView(chunk).row(position);
}

void Rows::Insert(size_t i, Bytes row) {
  PURE_CHECK(i <= size(), "a row is put behind the end");
  Edit(i, {ChunkEdit::Kind::kInsert, row});
}

void Rows::Set(size_t i, Bytes row) {
  PURE_CHECK(i < size(), "a row is set that is not there");
  Edit(i, {ChunkEdit::Kind::kSet, row});
}

void Rows::Remove(size_t i) {
  PURE_CHECK(i < size(), "a row is removed that is not there");
  Edit(i, {ChunkEdit::Kind::kRemove});
}

void Rows::Edit(size_t i, const ChunkEdit& edit) {
  if (TryEdit(i, edit)) return;
  MakeRoom(i);
  PURE_CHECK(TryEdit(i, edit), "there is room for a chunk");
}

bool Rows::TryEdit(size_t i, const ChunkEdit& edit) {
  const uint64_t before = tree_ == nullptr ? 0 : tree_->last_id;
  if (last_ != nullptr && i >= tree_rows()) {
    std::vector<ChunkNodePtr> chunks;
    if (!EditChunk(*last_, i - tree_rows(), edit, {.before = before}, &chunks)) return false;
    if (chunks.size() == 2) tree_ = AppendChunk(tree_, std::move(chunks[0]));
    last_ = chunks.empty() ? nullptr : std::move(chunks.back());
    return true;
  }
  if (i < tree_rows()) {
    return EditTree(&tree_, i, edit, last_ == nullptr ? ChunkGap{} : ChunkGap{0, last_->first_id});
  }
  const uint64_t id = tree_ == nullptr ? kFirstChunkId : IdBehind(before, {});
  if (id != 0) last_ = MakeChunk(id, {edit.row});
  return id != 0;
}

void Rows::MakeRoom(size_t i) {
  std::vector<ChunkNodePtr> chunks;
  CollectChunks(tree_, &chunks);
  if (last_ != nullptr) chunks.push_back(last_);
  size_t at = 0;
  while (at + 1 < chunks.size() && i >= chunks[at]->rows) i -= chunks[at++]->rows;
  for (size_t reach = 2;; reach *= 2) {
    const size_t begin = at - std::min(at, reach);
    const size_t end = std::min(chunks.size(), at + 1 + reach);
    if (Spread(begin, end, &chunks) || end - begin == chunks.size()) break;
  }
  if (last_ != nullptr) {
    last_ = std::move(chunks.back());
    chunks.pop_back();
  }
  tree_ = MakeTree(std::move(chunks));
}

size_t Rows::LowerBound(absl::FunctionRef<int(Bytes row)> order) const {
  size_t begin = 0;
  size_t end = size();
  while (begin < end) {
    const size_t middle = begin + (end - begin) / 2;
    if (order(At(middle)) < 0) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

void Rows::Diff(const Rows& before, const Rows& now, absl::FunctionRef<void(const Chunk&)> visit) {
  const auto nodes = [](const Rows& rows) {
    Differ::Nodes all;
    if (rows.last_ != nullptr) all.push_back(rows.last_.get());
    if (rows.tree_ != nullptr) all.push_back(rows.tree_.get());
    return all;
  };
  Differ(visit).Run(nodes(before), nodes(now));
}

}  // namespace pure::modules
