#include "modules/templates/html_context.h"

#include "modules/templates/html_walker.h"

namespace pure::modules {
namespace {

// The place where a block was opened, and where its first part ended.
struct Block {
  bool repeats = false;
  HtmlPlace opened;
  bool has_else = false;
  HtmlPlace first_end = {};
};

class BlockWalker {
 public:
  explicit BlockWalker(HtmlWalker* walker) : walker_(*walker) {}

  void Open(const Segment& segment) {
    blocks_.push_back({segment.kind == SegmentKind::kFor, walker_.place()});
  }

  void Else(const Segment& segment) {
    Block& block = blocks_.back();
    EndBody(segment, block);
    block.first_end = walker_.place();
    block.has_else = true;
    walker_.Go(block.opened);
  }

  void End(const Segment& segment) {
    const Block& block = blocks_.back();
    if (block.has_else) {
      Join(segment, block.first_end);
    } else if (block.repeats) {
      EndBody(segment, block);
    } else {
      Join(segment, block.opened);
    }
    blocks_.pop_back();
  }

 private:
  // What repeats begins again where it ended.
  void EndBody(const Segment& segment, const Block& block) {
    if (!block.repeats) return;
    Join(segment, block.opened);
    if (!walker_.refused() && walker_.place().state != block.opened.state) Differ(segment);
  }

  void Join(const Segment& segment, const HtmlPlace& other) {
    if (!walker_.Join(walker_.place(), other)) Differ(segment);
  }

  void Differ(const Segment& segment) {
    walker_.Refuse(segment.offset, "the page is not in the same place at both ends of this block",
                   "a block opens and closes its own tags and quotes");
  }

  HtmlWalker& walker_;
  std::vector<Block> blocks_;
};

}  // namespace

std::vector<Escape> FindHtmlEscapes(const std::vector<Segment>& segments,
                                    Diagnostics* diagnostics) {
  std::vector<Escape> escapes(segments.size(), Escape::kPlain);
  HtmlWalker walker(diagnostics);
  BlockWalker blocks(&walker);
  for (size_t i = 0; i < segments.size() && !walker.refused(); ++i) {
    const Segment& segment = segments[i];
    switch (segment.kind) {
      case SegmentKind::kText:
        walker.Text(segment);
        break;
      case SegmentKind::kHole:
        escapes[i] = walker.Hole(segment);
        break;
      case SegmentKind::kFor:
      case SegmentKind::kIf:
        blocks.Open(segment);
        break;
      case SegmentKind::kElse:
        blocks.Else(segment);
        break;
      case SegmentKind::kEnd:
        blocks.End(segment);
        break;
    }
  }
  const bool whole = walker.place().state == HtmlPlace::State::kText;
  if (!whole && !segments.empty()) {
    walker.Refuse(segments.back().offset, "the page ends inside of a tag, a quote or a comment");
  }
  return escapes;
}

}  // namespace pure::modules
