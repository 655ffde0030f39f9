#include "modules/expression_parser.h"

#include <algorithm>
#include <initializer_list>

#include "absl/strings/str_cat.h"

namespace pure::modules {
namespace {

constexpr int kBindsComparison = 3;
constexpr int kBindsTightest = 5;

struct BinaryOperator {
  Operator op = Operator::kNone;
  int binds = 0;  // higher binds tighter
};

BinaryOperator BinaryOperatorOf(const Token& token) {
  switch (token.kind) {
    case TokenKind::kWord:
      if (token.word == Word::kOr) return {Operator::kOr, 1};
      if (token.word == Word::kAnd) return {Operator::kAnd, 2};
      return {};
    case TokenKind::kEqual:
      return {Operator::kEqual, kBindsComparison};
    case TokenKind::kNotEqual:
      return {Operator::kNotEqual, kBindsComparison};
    case TokenKind::kLess:
      return {Operator::kLess, kBindsComparison};
    case TokenKind::kLessEqual:
      return {Operator::kLessEqual, kBindsComparison};
    case TokenKind::kGreater:
      return {Operator::kGreater, kBindsComparison};
    case TokenKind::kGreaterEqual:
      return {Operator::kGreaterEqual, kBindsComparison};
    case TokenKind::kPlus:
      return {Operator::kAdd, 4};
    case TokenKind::kMinus:
      return {Operator::kSubtract, 4};
    case TokenKind::kStar:
      return {Operator::kMultiply, kBindsTightest};
    case TokenKind::kSlash:
      return {Operator::kDivide, kBindsTightest};
    case TokenKind::kPercent:
      return {Operator::kModulo, kBindsTightest};
    case TokenKind::kName:
      if (token.text == "has" && !token.newline_before) return {Operator::kHas, kBindsComparison};
      return {};
    default:
      return {};
  }
}

}  // namespace

Expr ExpressionParser::StartHere(ExprKind kind) const {
  Expr expr;
  expr.kind = kind;
  expr.offset = tokens_->current().offset;
  expr.start = expr.offset;
  return expr;
}

Index ExpressionParser::Add(Expr expr) {
  const auto count = [this, &expr](std::initializer_list<Index> children) {
    for (Index child : children) {
      if (child == kNoIndex) continue;
      expr.depth = std::max<uint16_t>(expr.depth, ast_->exprs[child].depth + 1);
    }
  };
  count({expr.first, expr.second, expr.third});
  if (expr.clause != kNoIndex) {
    const ClauseNode& clause = ast_->clauses[expr.clause];
    count({clause.source, clause.filter, clause.order, clause.skip, clause.take, clause.key});
  }
  if (expr.depth > kDepthMax) {
    tokens_->FailHere("this expression nests too deeply",
                      absl::StrCat("at most ", kDepthMax, " levels; name parts of it with `let`"));
    return Broken();
  }
  ast_->exprs.push_back(expr);
  return static_cast<Index>(ast_->exprs.size() - 1);
}

Index ExpressionParser::Broken() {
  ast_->exprs.push_back(StartHere(ExprKind::kBroken));
  return static_cast<Index>(ast_->exprs.size() - 1);
}

Index ExpressionParser::Parse() {
  const bool entered = tokens_->Enter();
  const Index result = !entered ? Broken() : tokens_->At(Word::kIf) ? ParseIf() : ParseBinary(1);
  tokens_->Leave();
  return tokens_->failed() ? Broken() : result;
}

Index ExpressionParser::ParseBinary(int binds_at_least) {
  Index left = binds_at_least <= kBindsComparison ? ParseNot() : ParseSign();
  while (!tokens_->failed()) {
    const BinaryOperator found = BinaryOperatorOf(tokens_->current());
    if (found.op == Operator::kNone || found.binds < binds_at_least) break;
    Expr expr = StartHere(ExprKind::kBinary);
    expr.op = found.op;
    expr.start = ast_->exprs[left].start;
    tokens_->Advance();
    expr.first = left;
    expr.second = ParseBinary(found.binds + 1);
    if (tokens_->failed()) break;
    left = Add(expr);
    if (found.binds == kBindsComparison &&
        BinaryOperatorOf(tokens_->current()).binds == kBindsComparison) {
      tokens_->FailHere("comparisons do not chain", "write `a < b and b < c`");
    }
  }
  return left;
}

// `not` binds looser than comparisons: `not a == b` is `not (a == b)`.
Index ExpressionParser::ParseNot() {
  if (!tokens_->At(Word::kNot)) return ParseSign();
  Expr expr = StartHere(ExprKind::kUnary);
  expr.op = Operator::kNot;
  tokens_->Advance();
  const bool entered = tokens_->Enter();
  expr.first = entered ? ParseBinary(kBindsComparison) : Broken();
  tokens_->Leave();
  return Add(expr);
}

Index ExpressionParser::ParseSign() {
  if (!tokens_->At(TokenKind::kMinus)) return ParseParts();
  Expr expr = StartHere(ExprKind::kUnary);
  expr.op = Operator::kNegate;
  tokens_->Advance();
  const bool entered = tokens_->Enter();
  expr.first = entered ? ParseSign() : Broken();
  tokens_->Leave();
  return Add(expr);
}

Index ExpressionParser::ParseIf() {
  Expr expr = StartHere(ExprKind::kIf);
  tokens_->Advance();
  expr.first = Parse();
  if (!tokens_->Accept(Word::kThen)) tokens_->FailExpected("`then`");
  expr.second = Parse();
  if (!tokens_->Accept(Word::kElse)) {
    tokens_->FailExpected("`else`", "a value needs both: `if c then a else b`");
  }
  expr.third = Parse();
  return Add(expr);
}

}  // namespace pure::modules
