#include "modules/template_parser.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "modules/expression_parser.h"
#include "modules/templates/html_context.h"
#include "modules/templates/template_scanner.h"
#include "modules/token_stream.h"

namespace pure::modules {
namespace {

constexpr uint32_t kMarkBytes = 3;  // of <<< and >>>

class TemplateParser {
 public:
  TemplateParser(Bytes text, const std::vector<Segment>& segments,
                 const std::vector<Escape>& escapes, Diagnostics* diagnostics, Ast* ast)
      : text_(text),
        segments_(segments),
        escapes_(escapes),
        diagnostics_(*diagnostics),
        ast_(*ast) {}

  // The statements from segment *at up to an {else} or {end}, or to the last one.
  Index ParseBlock(size_t* at) {
    Index first = kNoIndex;
    Index last = kNoIndex;
    while (*at < segments_.size() && segments_[*at].kind != SegmentKind::kElse &&
           segments_[*at].kind != SegmentKind::kEnd) {
      const Index stmt = ParseOne(at);
      (last == kNoIndex ? first : ast_.stmts[last].next) = stmt;
      last = stmt;
    }
    return first;
  }

 private:
  Index ParseOne(size_t* at) {
    const size_t number = (*at)++;
    const Segment& segment = segments_[number];
    Stmt stmt;
    stmt.offset = segment.offset;
    switch (segment.kind) {
      case SegmentKind::kText:
        stmt.kind = StmtKind::kText;
        stmt.name = {segment.text, segment.offset};
        break;
      case SegmentKind::kHole:
        stmt.kind = StmtKind::kHole;
        stmt.name = {segment.format, segment.format_offset};
        stmt.escape = escapes_[number];
        stmt.expr = ParseInner(segment, false);
        if (stmt.expr == kNoIndex) stmt.kind = StmtKind::kBroken;
        break;
      default:
        stmt.kind = segment.kind == SegmentKind::kFor ? StmtKind::kFor : StmtKind::kIf;
        ParseInnerOf(segment, &stmt);
        stmt.body = ParseBlock(at);
        if (segments_[*at].kind == SegmentKind::kElse) {
          ++*at;
          stmt.has_other = true;
          stmt.other = ParseBlock(at);
        }
        ++*at;  // the end
        break;
    }
    ast_.stmts.push_back(stmt);
    return static_cast<Index>(ast_.stmts.size() - 1);
  }

  void ParseInnerOf(const Segment& segment, Stmt* stmt) {
    const bool clause = segment.kind == SegmentKind::kFor;
    (clause ? stmt->clause : stmt->expr) = ParseInner(segment, clause);
    if ((clause ? stmt->clause : stmt->expr) == kNoIndex) stmt->kind = StmtKind::kBroken;
  }

  // The expression or clause in the braces; kNoIndex after an error.
  Index ParseInner(const Segment& segment, bool clause) {
    TokenStream tokens(text_.substr(0, segment.offset + segment.text.size()), &diagnostics_,
                       segment.offset);
    ExpressionParser expressions(&tokens, &ast_);
    const Index index = clause ? expressions.ParseClause() : expressions.Parse();
    if (!tokens.failed() && !tokens.At(TokenKind::kEnd)) tokens.FailExpected("the closing `}`");
    return tokens.failed() ? kNoIndex : index;
  }

  const Bytes text_;
  const std::vector<Segment>& segments_;
  const std::vector<Escape>& escapes_;
  Diagnostics& diagnostics_;
  Ast& ast_;
};

// Whether blocks open and close as they should; what does not is reported.
bool CheckBlocks(const std::vector<Segment>& segments, Diagnostics* diagnostics) {
  struct Open {
    uint32_t offset = 0;
    bool has_else = false;
  };
  std::vector<Open> open;
  for (const Segment& segment : segments) {
    const auto fail = [&](const char* what) {
      diagnostics->Add(segment.offset, what);
      return false;
    };
    switch (segment.kind) {
      case SegmentKind::kFor:
      case SegmentKind::kIf:
        if (open.size() == kDepthMax) return fail("this nests too deeply");
        open.push_back({segment.offset, false});
        break;
      case SegmentKind::kElse:
        if (open.empty()) return fail("there is no {for} or {if} above for this {else}");
        if (open.back().has_else) return fail("this block has an {else} already");
        open.back().has_else = true;
        break;
      case SegmentKind::kEnd:
        if (open.empty()) return fail("there is no {for} or {if} above for this {end}");
        open.pop_back();
        break;
      default:
        break;
    }
  }
  if (open.empty()) return true;
  diagnostics->Add(open.back().offset, "this block has no {end}");
  return false;
}

}  // namespace

Index ParseTemplate(Bytes text, const Token& token, PageKind kind, Diagnostics* diagnostics,
                    Ast* ast) {
  const bool closed = token.text.size() >= 2 * kMarkBytes &&
                      token.text.substr(token.text.size() - kMarkBytes) == ">>>";
  if (!closed) return kNoIndex;  // reported by the lexer
  const auto end = static_cast<uint32_t>(token.offset + token.text.size() - kMarkBytes);
  const std::vector<Segment> segments =
      ScanTemplate(text, token.offset + kMarkBytes, end, diagnostics);
  if (!CheckBlocks(segments, diagnostics)) return kNoIndex;
  std::vector<Escape> escapes(segments.size(),
                              kind == PageKind::kCsv ? Escape::kCsv : Escape::kPlain);
  if (kind == PageKind::kHtml) escapes = FindHtmlEscapes(segments, diagnostics);
  size_t at = 0;
  return TemplateParser(text, segments, escapes, diagnostics, ast).ParseBlock(&at);
}

}  // namespace pure::modules
