#include "modules/expression_parser.h"

#include <algorithm>

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
  for (Index child : {expr.first, expr.second, expr.third}) {
    if (child == kNoIndex) continue;
    expr.depth = std::max<uint16_t>(expr.depth, ast_->exprs[child].depth + 1);
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
  if (!tokens_->At(TokenKind::kMinus)) return ParseRanges();
  Expr expr = StartHere(ExprKind::kUnary);
  expr.op = Operator::kNegate;
  tokens_->Advance();
  const bool entered = tokens_->Enter();
  expr.first = entered ? ParseSign() : Broken();
  tokens_->Leave();
  return Add(expr);
}

// A value and the ranges behind it, each of what stands before it.
Index ExpressionParser::ParseRanges() {
  Index value = ParsePrimary();
  while (!tokens_->failed() && tokens_->At(TokenKind::kLeftBracket) &&
         !tokens_->current().newline_before) {
    value = ParseRange(value);
  }
  return value;
}

Index ExpressionParser::ParseRange(Index value) {
  Expr expr = StartHere(ExprKind::kSlice);
  expr.start = ast_->exprs[value].start;
  expr.first = value;
  tokens_->Advance();
  if (!tokens_->At(TokenKind::kDotDot)) expr.second = Parse();
  if (!tokens_->Accept(TokenKind::kDotDot)) {
    tokens_->FailExpected("`..`", "a range of bytes is [start..end], [start..] or [..end]");
  }
  if (!tokens_->At(TokenKind::kRightBracket)) expr.third = Parse();
  tokens_->Expect(TokenKind::kRightBracket, "`]`");
  return Add(expr);
}

Index ExpressionParser::ParsePrimary() {
  if (tokens_->failed()) return Broken();
  const Token& token = tokens_->current();
  switch (token.kind) {
    case TokenKind::kInt:
    case TokenKind::kText: {
      Expr expr = StartHere(token.kind == TokenKind::kInt ? ExprKind::kInt : ExprKind::kText);
      expr.number = token.number;
      expr.text = token.text;
      tokens_->Advance();
      return Add(expr);
    }
    case TokenKind::kName:
      return ParseNameOrCall();
    case TokenKind::kLeftParen: {
      tokens_->Advance();
      const Index inner = Parse();
      tokens_->Expect(TokenKind::kRightParen, "`)`");
      return inner;
    }
    case TokenKind::kWord:
      if (token.word == Word::kTrue || token.word == Word::kFalse || token.word == Word::kNone) {
        Expr expr = StartHere(token.word == Word::kNone ? ExprKind::kNone : ExprKind::kBool);
        expr.number = token.word == Word::kTrue ? 1 : 0;
        tokens_->Advance();
        return Add(expr);
      }
      break;
    default:
      break;
  }
  RefusePrimary();
  return Broken();
}

// Reports what stands where a value should.
void ExpressionParser::RefusePrimary() {
  const Token& token = tokens_->current();
  switch (token.kind) {
    case TokenKind::kWord:
      if (token.word == Word::kLater) return tokens_->FailHere(NotSupportedYet(token.text));
      if (token.word == Word::kIf) {
        return tokens_->FailExpected("a value", "put `if ... then ... else ...` into parentheses");
      }
      if (token.word == Word::kNot)
        return tokens_->FailExpected("a value", "put `not ...` into parentheses");
      break;
    case TokenKind::kDuration:
      return tokens_->FailHere("durations are not supported yet: this version serves documents");
    case TokenKind::kLeftBracket:
      return tokens_->FailHere("lists are not supported yet: this version serves documents");
    case TokenKind::kLeftBrace:
      return tokens_->FailHere("records are not supported yet: this version serves documents");
    case TokenKind::kTemplate:
      return tokens_->FailHere("templates are not supported yet: this version serves documents");
    default:
      break;
  }
  tokens_->FailExpected("a value");
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

Index ExpressionParser::ParseNameOrCall() {
  Expr expr = StartHere(ExprKind::kName);
  expr.text = tokens_->current().text;
  tokens_->Advance();
  if (tokens_->At(TokenKind::kDot)) {
    tokens_->FailHere("fields are not supported yet: this version serves documents");
    return Broken();
  }
  if (!tokens_->At(TokenKind::kLeftParen) || tokens_->current().newline_before) return Add(expr);
  expr.kind = ExprKind::kCall;
  tokens_->Advance();
  Index last = kNoIndex;
  while (!tokens_->failed() && !tokens_->At(TokenKind::kRightParen)) {
    const Index argument = Parse();
    expr.depth = std::max<uint16_t>(expr.depth, ast_->exprs[argument].depth + 1);
    (last == kNoIndex ? expr.first : ast_->exprs[last].next) = argument;
    last = argument;
    if (!tokens_->Accept(TokenKind::kComma)) break;
  }
  tokens_->Expect(TokenKind::kRightParen, "`,` or `)`");
  return Add(expr);
}

}  // namespace pure::modules
