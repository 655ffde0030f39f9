#include <algorithm>

#include "absl/strings/str_cat.h"
#include "modules/handler_checker.h"
#include "modules/json.h"
#include "modules/json_bounds.h"
#include "modules/limits.h"

// The part of the handler checker for answers, and for what answers HTTP has a form for.

namespace pure::modules {
namespace {

// Largest answer, in bytes, that a value of this type is made into; 0: it is not made but lent.
int64_t AnswerBytesMax(const Known& known, const Shapes& shapes) {
  const Type& type = known.type;
  if (type.kind == TypeKind::kError || type.kind == TypeKind::kNone) return 0;
  if (type.kind != TypeKind::kBytes) return JsonBytesMax(type, shapes);
  return known.stored ? std::min(type.high, kAnswerBytesMax) : type.high;
}

}  // namespace

// What `show` and `edit` have to look like, since GET and PUT call them.
void HandlerChecker::CheckShape(const HandlerNode& node) {
  if (handler_->is_show) {
    if (!node.parameters.empty()) {
      diagnostics_.Add(node.parameters[0].name.offset, "`show` takes no parameters");
    }
    const bool one = node.body != kNoIndex && ast_.stmts[node.body].next == kNoIndex;
    const StmtKind kind = one ? ast_.stmts[node.body].kind : StmtKind::kBroken;
    if (!one || (kind != StmtKind::kReply && kind != StmtKind::kBroken)) {
      diagnostics_.Add(node.name.offset, "`show` does nothing but reply",
                       "message show { reply value else not_found }");
    }
  }
  if (handler_->is_edit) {
    const auto takes_body = [](const CheckedParameter& parameter) {
      return parameter.type.is_error() ||
             (!parameter.type.option &&
              (parameter.type.kind == TypeKind::kText || parameter.type.kind == TypeKind::kBytes));
    };
    if (handler_->parameters.size() != 1 || !takes_body(handler_->parameters[0])) {
      diagnostics_.Add(node.name.offset, "`edit` takes the body of the request: one text or bytes",
                       "message edit(body: bytes(..1MiB)) { value = body; reply none }");
    }
  }
}

void HandlerChecker::CheckReply(const Stmt& stmt) {
  Known answer = expressions_.Check(stmt.expr, nullptr);
  answer = CheckAlternative(answer, stmt);
  ended_ = true;
  if (answer.type.is_error()) return;
  const Expr& expr = ast_.exprs[stmt.expr];
  if (answer.type.option) {
    const Bytes name = expr.kind == ExprKind::kName ? expr.text : "...";
    return diagnostics_.Add(expr.offset, "this may be absent",
                            absl::StrCat("write: reply ", name, " else not_found"));
  }
  if (handler_->node->kind == HandlerKind::kView) return CheckViewReply(stmt, answer);
  if (handler_->is_show) return CheckShownReply(stmt, answer);
  const int64_t bytes_max = AnswerBytesMax(answer, checked_.shapes);
  handler_->reply_bytes_max = std::max(handler_->reply_bytes_max, bytes_max);
  if (bytes_max > kAnswerBytesMax) {
    diagnostics_.Add(
        expr.offset, absl::StrCat("this answer can have ", bytes_max, " bytes"),
        absl::StrCat("at most ", SizeText(kAnswerBytesMax),
                     answer.type.kind == TypeKind::kText
                         ? "; a text is answered as JSON, up to 6 bytes for each of its own"
                         : "; only the stored bytes as they stand may be larger"));
  }
}

void HandlerChecker::CheckShownReply(const Stmt& stmt, const Known& answer) {
  const Expr& expr = ast_.exprs[stmt.expr];
  if (!answer.type.is_octets()) {
    return diagnostics_.Add(
        expr.offset,
        absl::StrCat("`show` answers a text or bytes, and this is ", KindText(answer.type)));
  }
  if (!answer.stored && answer.type.high > kAnswerBytesMax) {
    diagnostics_.Add(expr.offset, absl::StrCat("this answer can have ", answer.type.high, " bytes"),
                     absl::StrCat("at most ", SizeText(kAnswerBytesMax),
                                  "; only the stored value as it stands may be larger"));
  }
  handler_->reply_bytes_max = answer.stored ? 0 : answer.type.high;
}

// What a template makes.
void HandlerChecker::CheckPage(const HandlerNode& node) {
  if (!node.is_template) return;
  handler_->reply_bytes_max =
      static_cast<int64_t>(std::min<absl::int128>(page_bytes_, int64_t{1} << 62));
  if (page_bytes_ <= kAnswerBytesMax) return;
  diagnostics_.Add(node.name.offset,
                   absl::StrCat("this page can have ", handler_->reply_bytes_max, " bytes"),
                   absl::StrCat("at most ", SizeText(kAnswerBytesMax),
                                "; show fewer elements: take 20, or narrow their types"));
}

// A view answers JSON, or a text or bytes of its own content type.
void HandlerChecker::CheckViewReply(const Stmt& stmt, const Known& answer) {
  const Expr& expr = ast_.exprs[stmt.expr];
  const bool json = handler_->content_type == kJsonType;
  if (answer.type.kind == TypeKind::kNone) {
    return diagnostics_.Add(expr.offset, "a view shows something, not `none`");
  }
  if (!json && !answer.type.is_octets()) {
    return diagnostics_.Add(
        expr.offset, absl::StrCat("a view of ", handler_->content_type,
                                  " answers a text or bytes, and this is ", KindText(answer.type)));
  }
  const int64_t bytes = json ? JsonBytesMax(answer.type, checked_.shapes) : answer.type.high;
  handler_->reply_bytes_max = std::max(handler_->reply_bytes_max, bytes);
  if (bytes <= kAnswerBytesMax) return;
  diagnostics_.Add(expr.offset, absl::StrCat("this answer can have ", bytes, " bytes"),
                   absl::StrCat("at most ", SizeText(kAnswerBytesMax),
                                "; answer fewer elements: take 20, or narrow their types"));
}

void HandlerChecker::CheckSee(const Stmt& stmt) {
  const Type type = expressions_.CheckOpened(stmt.expr, nullptr).type;
  ended_ = true;
  if (type.is_error()) return;
  const uint32_t offset = ast_.exprs[stmt.expr].offset;
  if (type.kind != TypeKind::kText && type.kind != TypeKind::kSlug) {
    diagnostics_.Add(offset, absl::StrCat("`see` takes a text, and this is ", KindText(type)));
  } else if (type.high > kLocationBytesMax) {
    diagnostics_.Add(offset, absl::StrCat("where to go on has at most ", kLocationBytesMax,
                                          " bytes, and this can have ", type.high));
  }
}

}  // namespace pure::modules
