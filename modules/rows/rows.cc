#include "modules/rows/rows.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "modules/rows/row.h"
#include "runtime/check.h"

namespace pure::modules {
namespace {

constexpr size_t kChunkBytes = 2048;  // a chunk takes no more rows at its end
constexpr size_t kChunkSplit = 4096;  // and is split once it has grown beyond this
constexpr size_t kChildrenMax = 32;
// Between the ids of chunks that follow each other, so that there is room for those that are split.
constexpr uint64_t kIdStep = uint64_t{1} << 20;
constexpr uint64_t kNoId = std::numeric_limits<uint64_t>::max();

}  // namespace

// A chunk, or a node above chunks; level 0 is a chunk.
struct Rows::Node {
  uint32_t level = 0;
  uint64_t rows = 0;
  uint64_t bytes = 0;
  uint64_t first_id = 0;
  uint64_t last_id = 0;
  std::vector<NodePtr> children;  // of a node
  std::string block;              // of a chunk

  static NodePtr OfRows(uint64_t id, absl::Span<const Bytes> rows) {
    auto node = std::make_shared<Node>();
    node->first_id = node->last_id = id;
    node->rows = rows.size();
    for (const Bytes row : rows) node->bytes += row.size();
    node->block.resize(BlockBytes(rows));
    EncodeBlock(rows, node->block.data());
    return node;
  }

  static NodePtr OfChildren(std::vector<NodePtr> children) {
    auto node = std::make_shared<Node>();
    node->level = children.front()->level + 1;
    node->first_id = children.front()->first_id;
    node->last_id = children.back()->last_id;
    for (const NodePtr& child : children) {
      node->rows += child->rows;
      node->bytes += child->bytes;
    }
    node->children = std::move(children);
    return node;
  }
};

// Makes a tree with one change.
class Rows::Editor {
 public:
  enum class Kind : uint8_t { kInsert, kSet, kRemove };

  Editor(Kind kind, Bytes row) : kind_(kind), row_(row) {}

  NodePtr Edit(const NodePtr& root, size_t i) {
    if (root == nullptr) return Node::OfRows(kIdStep, {row_});
    std::vector<NodePtr> nodes;
    EditNode(*root, i, kNoId, &nodes);
    if (nodes.empty()) return nullptr;
    if (nodes.size() > 1) return Node::OfChildren(std::move(nodes));
    // Nodes with one child only make the way longer.
    NodePtr top = std::move(nodes[0]);
    while (top->children.size() == 1) top = NodePtr(top->children[0]);
    return top;
  }

 private:
  // Appends what takes the node's place: nothing, one or two nodes. `next_id`: of the chunk behind
  // it.
  void EditNode(const Node& node, size_t i, uint64_t next_id, std::vector<NodePtr>* out) {
    if (node.level == 0) return EditChunk(node, i, next_id, out);
    std::vector<NodePtr> children;
    children.reserve(node.children.size() + 1);
    bool edited = false;
    for (size_t c = 0; c < node.children.size(); ++c) {
      const NodePtr& child = node.children[c];
      const bool last = c + 1 == node.children.size();
      // What is put between two chunks goes to the end of the first.
      const bool here = i < child->rows || (kind_ == Kind::kInsert && i == child->rows) || last;
      if (edited || !here) {
        if (!edited) i -= child->rows;
        children.push_back(child);
        continue;
      }
      edited = true;
      EditNode(*child, i, last ? next_id : node.children[c + 1]->first_id, &children);
    }
    if (children.empty()) return;
    if (children.size() <= kChildrenMax)
      return out->push_back(Node::OfChildren(std::move(children)));
    // One that grows at its end stays nearly full.
    const size_t keep = next_id == kNoId ? kChildrenMax : children.size() / 2;
    const auto middle = children.begin() + static_cast<ptrdiff_t>(keep);
    out->push_back(Node::OfChildren({children.begin(), middle}));
    out->push_back(Node::OfChildren({middle, children.end()}));
  }

  void EditChunk(const Node& chunk, size_t i, uint64_t next_id, std::vector<NodePtr>* out) {
    const BlockView view(chunk.block);
    std::vector<Bytes> rows;
    rows.reserve(view.size() + 1);
    for (size_t r = 0; r < view.size(); ++r) rows.push_back(view.row(r));
    const auto at = rows.begin() + static_cast<ptrdiff_t>(i);
    uint64_t bytes = chunk.bytes + row_.size();
    switch (kind_) {
      case Kind::kInsert:
        if (i == rows.size() && bytes > kChunkBytes) {
          if (const uint64_t id = IdBetween(chunk.first_id, next_id); id != 0) {
            out->push_back(Node::OfRows(chunk.first_id, rows));
            return out->push_back(Node::OfRows(id, {row_}));
          }
        }
        rows.insert(at, row_);
        break;
      case Kind::kSet:
        bytes -= at->size();
        *at = row_;
        break;
      case Kind::kRemove:
        bytes = 0;  // it does not grow
        rows.erase(at);
        if (rows.empty()) return;
        break;
    }
    const uint64_t id =
        bytes > kChunkSplit && rows.size() > 1 ? IdBetween(chunk.first_id, next_id) : 0;
    if (id == 0) return out->push_back(Node::OfRows(chunk.first_id, rows));
    const absl::Span<const Bytes> all = rows;
    out->push_back(Node::OfRows(chunk.first_id, all.first(rows.size() / 2)));
    out->push_back(Node::OfRows(id, all.subspan(rows.size() / 2)));
  }

  // An id behind `id` and before `next`; 0: there is none.
  static uint64_t IdBetween(uint64_t id, uint64_t next) {
    if (next == kNoId) return id < kNoId - 2 * kIdStep ? id + kIdStep : 0;
    return next - id < 2 ? 0 : id + (next - id) / 2;
  }

  const Kind kind_;
  const Bytes row_;
};

Rows Rows::OfChunks(absl::Span<const Chunk> chunks) {
  std::vector<NodePtr> nodes;
  for (const Chunk& chunk : chunks) {
    std::vector<Bytes> rows;
    const BlockView view(chunk.block);
    for (size_t r = 0; r < view.size(); ++r) rows.push_back(view.row(r));
    nodes.push_back(Node::OfRows(chunk.id, rows));
  }
  while (nodes.size() > 1) {
    std::vector<NodePtr> above;
    for (size_t begin = 0; begin < nodes.size(); begin += kChildrenMax) {
      const size_t end = std::min(nodes.size(), begin + kChildrenMax);
      above.push_back(Node::OfChildren({nodes.begin() + static_cast<ptrdiff_t>(begin),
                                        nodes.begin() + static_cast<ptrdiff_t>(end)}));
    }
    nodes = std::move(above);
  }
  Rows rows;
  if (!nodes.empty()) rows.root_ = std::move(nodes[0]);
  return rows;
}

size_t Rows::size() const { return root_ == nullptr ? 0 : root_->rows; }
size_t Rows::size_bytes() const { return root_ == nullptr ? 0 : root_->bytes; }

void Rows::ChunkAt(size_t i, Bytes* chunk, size_t* position) const {
  PURE_CHECK(i < size(), "a row is asked for that is not there");
  const Node* node = root_.get();
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
  root_ = Editor(Editor::Kind::kInsert, row).Edit(root_, i);
}

void Rows::Set(size_t i, Bytes row) {
  PURE_CHECK(i < size(), "a row is set that is not there");
  root_ = Editor(Editor::Kind::kSet, row).Edit(root_, i);
}

void Rows::Remove(size_t i) {
  PURE_CHECK(i < size(), "a row is removed that is not there");
  root_ = Editor(Editor::Kind::kRemove, {}).Edit(root_, i);
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

// Goes along two trees, and passes over what they share.
class Rows::Differ {
 public:
  explicit Differ(absl::FunctionRef<void(const Chunk&)> visit) : visit_(visit) {}

  void Run(const Rows& before, const Rows& now) {
    std::vector<const Node*> old_nodes, new_nodes;  // what is left, the next one last
    if (before.root_ != nullptr) old_nodes.push_back(before.root_.get());
    if (now.root_ != nullptr) new_nodes.push_back(now.root_.get());
    while (!old_nodes.empty() || !new_nodes.empty()) Step(&old_nodes, &new_nodes);
  }

 private:
  void Step(std::vector<const Node*>* old_nodes, std::vector<const Node*>* new_nodes) {
    if (new_nodes->empty()) return Take(old_nodes, true);
    if (old_nodes->empty()) return Take(new_nodes, false);
    const Node& old_node = *old_nodes->back();
    const Node& new_node = *new_nodes->back();
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
  void Take(std::vector<const Node*>* nodes, bool gone) {
    const Node& node = *nodes->back();
    if (node.level > 0) return Open(nodes);
    nodes->pop_back();
    visit_({node.first_id, gone ? Bytes() : Bytes(node.block)});
  }

  static void Open(std::vector<const Node*>* nodes) {
    const Node& node = *nodes->back();
    nodes->pop_back();
    for (auto child = node.children.rbegin(); child != node.children.rend(); ++child) {
      nodes->push_back(child->get());
    }
  }

  const absl::FunctionRef<void(const Chunk&)> visit_;
};

void Rows::Diff(const Rows& before, const Rows& now, absl::FunctionRef<void(const Chunk&)> visit) {
  Differ(visit).Run(before, now);
}

}  // namespace pure::modules
