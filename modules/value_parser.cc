#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "modules/expression_parser.h"

// The half of the expression parser that parses values: what stands between the operators.

namespace pure::modules {
namespace {

// Words that a clause follows at once; they are names elsewhere.
bool FoldOfClause(Bytes name, Fold* fold) {
  if (name == "first") {
    *fold = Fold::kFirst;
  } else if (name == "count") {
    *fold = Fold::kCount;
  } else if (name == "any") {
    *fold = Fold::kAny;
  } else if (name == "all") {
    *fold = Fold::kAll;
  } else {
    return false;
  }
  return true;
}

// Functions whose argument may have a clause behind it: sum(e.size for e in entries).
bool FoldOfCall(Bytes name, Fold* fold) {
  if (name == "sum") {
    *fold = Fold::kSum;
  } else if (name == "min") {
    *fold = Fold::kMin;
  } else if (name == "max") {
    *fold = Fold::kMax;
  } else {
    return false;
  }
  return true;
}

}  // namespace

// A value, and the fields, elements and ranges behind it, each of what stands before it.
Index ExpressionParser::ParseParts() {
  Index value = ParsePrimary();
  while (!tokens_->failed()) {
    if (tokens_->At(TokenKind::kLeftBracket) && !tokens_->current().newline_before) {
      value = ParseBracket(value);
    } else if (tokens_->At(TokenKind::kDot)) {
      value = ParseField(value);
    } else {
      break;
    }
  }
  return value;
}

// value.name
Index ExpressionParser::ParseField(Index value) {
  Expr expr = StartHere(ExprKind::kField);
  expr.start = ast_->exprs[value].start;
  expr.first = value;
  tokens_->Advance();
  Name name;
  expr.offset = tokens_->current().offset;
  if (tokens_->ExpectName("the field", &name)) expr.text = name.text;
  if (!methods_ || !tokens_->At(TokenKind::kLeftParen)) return Add(expr);
  expr.kind = ExprKind::kMethod;
  expr.second = std::exchange(expr.first, kNoIndex);
  tokens_->Advance();
  ParseValues(TokenKind::kRightParen, &expr);
  tokens_->Expect(TokenKind::kRightParen, "`,` or `)`");
  return tokens_->failed() ? Broken() : Add(expr);
}

// value[at] or value[start..end]
Index ExpressionParser::ParseBracket(Index value) {
  Expr expr = StartHere(ExprKind::kSlice);
  expr.start = ast_->exprs[value].start;
  expr.first = value;
  tokens_->Advance();
  if (!tokens_->At(TokenKind::kDotDot)) expr.second = Parse();
  if (!tokens_->failed() && expr.second != kNoIndex && tokens_->Accept(TokenKind::kRightBracket)) {
    expr.kind = ExprKind::kIndex;
    return Add(expr);
  }
  if (!tokens_->Accept(TokenKind::kDotDot)) {
    tokens_->FailExpected("`]` or `..`",
                          "an element is [at]; a range of bytes is [start..end], [start..] or "
                          "[..end]");
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
    case TokenKind::kDuration:
    case TokenKind::kText: {
      Expr expr = StartHere(token.kind == TokenKind::kInt    ? ExprKind::kInt
                            : token.kind == TokenKind::kText ? ExprKind::kText
                                                             : ExprKind::kDuration);
      expr.number = token.number;
      expr.text = token.text;
      tokens_->Advance();
      return Add(expr);
    }
    case TokenKind::kName:
      return ParseNameOrCall();
    case TokenKind::kLeftParen:
      return ParseGroup();
    case TokenKind::kLeftBrace:
      return ParseRecord();
    case TokenKind::kLeftBracket:
      return ParseList();
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
  if (token.kind == TokenKind::kWord) {
    if (token.word == Word::kLater) return tokens_->FailHere(NotSupportedYet(token.text));
    if (token.word == Word::kIf) {
      return tokens_->FailExpected("a value", "put `if ... then ... else ...` into parentheses");
    }
    if (token.word == Word::kNot)
      return tokens_->FailExpected("a value", "put `not ...` into parentheses");
  }
  tokens_->FailExpected("a value");
}

// (value) or (value else value)
Index ExpressionParser::ParseGroup() {
  tokens_->Advance();
  const Index inner = Parse();
  Index result = inner;
  if (!tokens_->failed() && tokens_->At(Word::kElse)) {
    Expr expr = StartHere(ExprKind::kElse);
    expr.start = ast_->exprs[inner].start;
    tokens_->Advance();
    expr.first = inner;
    expr.second = Parse();
    result = tokens_->failed() ? Broken() : Add(expr);
  }
  tokens_->Expect(TokenKind::kRightParen, "`)`");
  return result;
}

// Puts `node` behind `last` in the chain that starts at *first.
void ExpressionParser::Chain(Index node, Index* first, Index* last) {
  (*last == kNoIndex ? *first : ast_->exprs[*last].next) = node;
  *last = node;
}

// name: value
Index ExpressionParser::ParseEntry() {
  Expr entry = StartHere(ExprKind::kEntry);
  Name name;
  if (tokens_->ExpectName("a field", &name)) entry.text = name.text;
  tokens_->Expect(TokenKind::kColon, "`:` and the field's value");
  if (!tokens_->failed()) entry.first = Parse();
  return tokens_->failed() ? Broken() : Add(entry);
}

// { name: value, ... }
Index ExpressionParser::ParseRecord() {
  Expr expr = StartHere(ExprKind::kRecord);
  tokens_->Advance();
  Index last = kNoIndex;
  while (!tokens_->failed() && !tokens_->At(TokenKind::kRightBrace)) {
    const Index entry = ParseEntry();
    expr.depth = std::max<uint16_t>(expr.depth, ast_->exprs[entry].depth + 1);
    Chain(entry, &expr.first, &last);
    if (!tokens_->Accept(TokenKind::kComma)) break;
  }
  tokens_->Expect(TokenKind::kRightBrace, "`,` or `}`");
  return tokens_->failed() ? Broken() : Add(expr);
}

// [value, ...] or [value for ...]
Index ExpressionParser::ParseList() {
  Expr expr = StartHere(ExprKind::kList);
  tokens_->Advance();
  ParseValues(TokenKind::kRightBracket, &expr);
  if (!tokens_->failed() && tokens_->At(Word::kFor)) {
    expr.kind = ExprKind::kEach;
    expr.fold = Fold::kList;
    tokens_->Advance();
    expr.clause = ParseClause();
  }
  tokens_->Expect(TokenKind::kRightBracket, "`,`, `for` or `]`");
  return tokens_->failed() ? Broken() : Add(expr);
}

void ExpressionParser::ParseValues(TokenKind end, Expr* expr) {
  Index last = kNoIndex;
  while (!tokens_->failed() && !tokens_->At(end)) {
    const bool named = tokens_->At(TokenKind::kName) && tokens_->next().kind == TokenKind::kColon;
    const Index value = named ? ParseEntry() : Parse();
    expr->depth = std::max<uint16_t>(expr->depth, ast_->exprs[value].depth + 1);
    Chain(value, &expr->first, &last);
    if (!tokens_->Accept(TokenKind::kComma)) break;
  }
}

Index ExpressionParser::ParseNameOrCall() {
  Expr expr = StartHere(ExprKind::kName);
  expr.text = tokens_->current().text;
  if (FoldOfClause(expr.text, &expr.fold) && tokens_->next().kind == TokenKind::kName &&
      !tokens_->next().newline_before) {
    expr.kind = ExprKind::kEach;
    tokens_->Advance();
    expr.clause = ParseClause();
    return tokens_->failed() ? Broken() : Add(expr);
  }
  tokens_->Advance();
  if (!tokens_->At(TokenKind::kLeftParen) || tokens_->current().newline_before) return Add(expr);
  expr.kind = ExprKind::kCall;
  tokens_->Advance();
  ParseValues(TokenKind::kRightParen, &expr);
  if (!tokens_->failed() && tokens_->At(Word::kFor) && FoldOfCall(expr.text, &expr.fold)) {
    expr.kind = ExprKind::kEach;
    tokens_->Advance();
    expr.clause = ParseClause();
  }
  tokens_->Expect(TokenKind::kRightParen, "`,` or `)`");
  return tokens_->failed() ? Broken() : Add(expr);
}

// name [, name] in source [if filter] [by order [down]] [skip n] [take n] [key value]
Index ExpressionParser::ParseClause() {
  ClauseNode clause;
  clause.offset = tokens_->current().offset;
  if (!tokens_->ExpectName("the element", &clause.first)) return kNoIndex;
  if (tokens_->Accept(TokenKind::kComma)) tokens_->ExpectName("the element", &clause.second);
  if (!tokens_->failed() && !tokens_->Accept(Word::kIn)) {
    tokens_->FailExpected("`in`", "for e in entries if e.done by e.at down take 20");
  }
  clause.source = Parse();
  if (tokens_->Accept(Word::kIf)) clause.filter = Parse();
  if (tokens_->Accept(Word::kBy)) {
    clause.order = Parse();
    clause.down = tokens_->Accept(Word::kDown);
  }
  if (tokens_->Accept(Word::kSkip)) clause.skip = Parse();
  if (tokens_->Accept(Word::kTake)) clause.take = Parse();
  if (!tokens_->failed() && tokens_->AtName("key")) {
    tokens_->Advance();
    clause.key = Parse();
  }
  if (tokens_->failed()) return kNoIndex;
  ast_->clauses.push_back(clause);
  return static_cast<Index>(ast_->clauses.size() - 1);
}

}  // namespace pure::modules
