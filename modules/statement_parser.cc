#include "modules/statement_parser.h"

#include "absl/strings/str_cat.h"

namespace pure::modules {

Index StatementParser::ParseBlock() {
  if (!tokens_->Expect(TokenKind::kLeftBrace, "`{`")) return kNoIndex;
  const bool entered = tokens_->Enter();
  Index first = kNoIndex;
  Index last = kNoIndex;
  while (entered && !tokens_->At(TokenKind::kRightBrace)) {
    if (tokens_->Accept(TokenKind::kSemicolon)) continue;
    if (tokens_->At(TokenKind::kEnd) || tokens_->AtItemStart()) break;
    const Index stmt = ParseStatement();
    (last == kNoIndex ? first : ast_->stmts[last].next) = stmt;
    last = stmt;
    if (!tokens_->failed() && !tokens_->At(TokenKind::kRightBrace) &&
        !tokens_->At(TokenKind::kSemicolon) && !tokens_->current().newline_before) {
      tokens_->FailExpected("the end of the statement",
                            "statements stand on lines of their own or behind `;`");
    }
    if (tokens_->failed()) {
      tokens_->Recover();
      const bool at_next = tokens_->current().newline_before &&
                           tokens_->current().offset != ast_->stmts[stmt].offset;
      if (!at_next) tokens_->SkipStatement();
    }
  }
  tokens_->Leave();
  if (entered) tokens_->Expect(TokenKind::kRightBrace, "`}`");
  return first;
}

Index StatementParser::ParseStatement() {
  Stmt stmt;
  stmt.offset = tokens_->current().offset;
  if (tokens_->At(Word::kLet)) {
    ParseLet(&stmt);
  } else if (tokens_->At(Word::kRequire)) {
    ParseRequire(&stmt);
  } else if (tokens_->At(Word::kIf)) {
    ParseIf(&stmt);
  } else if (tokens_->At(Word::kReply)) {
    ParseReply(&stmt);
  } else if (tokens_->At(TokenKind::kName)) {
    ParseAssign(&stmt);
  } else {
    RefuseStatement();
  }
  // A broken `let` still defines its name, so that its uses are no errors too.
  if (tokens_->failed() && (stmt.kind != StmtKind::kLet || stmt.expr == kNoIndex)) {
    stmt.kind = StmtKind::kBroken;
  }
  ast_->stmts.push_back(stmt);
  return static_cast<Index>(ast_->stmts.size() - 1);
}

void StatementParser::ParseLet(Stmt* stmt) {
  tokens_->Advance();
  stmt->kind = StmtKind::kLet;
  if (!tokens_->ExpectName("the value", &stmt->name)) return;
  tokens_->Expect(TokenKind::kAssign, "`=`");
  stmt->expr = expressions_.Parse();
  stmt->alternative = ParseAlternative();
}

// The optional `else` behind an option: a fault's name or a value.
Index StatementParser::ParseAlternative() {
  if (!tokens_->Accept(Word::kElse)) return kNoIndex;
  if (tokens_->At(Word::kType)) {  // the builtin fault has the name of a reserved word
    Expr fault = expressions_.StartHere(ExprKind::kName);
    fault.text = tokens_->current().text;
    tokens_->Advance();
    return expressions_.Add(fault);
  }
  return expressions_.Parse();
}

void StatementParser::ParseRequire(Stmt* stmt) {
  tokens_->Advance();
  stmt->kind = StmtKind::kRequire;
  stmt->expr = expressions_.Parse();
  if (!tokens_->failed() && !tokens_->At(Word::kElse)) {
    tokens_->FailExpected("`else` and a fault", "require size(line) > 0 else empty");
  }
  stmt->alternative = ParseAlternative();
}

void StatementParser::ParseIf(Stmt* stmt) {
  tokens_->Advance();
  stmt->kind = StmtKind::kIf;
  stmt->expr = expressions_.Parse();
  if (tokens_->At(Word::kThen)) {
    return tokens_->FailExpected("`{`", "`if c then a else b` is a value; a statement has blocks");
  }
  stmt->body = ParseBlock();
  if (!tokens_->Accept(Word::kElse)) return;
  stmt->has_other = true;
  if (tokens_->At(TokenKind::kLeftBrace)) {
    stmt->other = ParseBlock();
    return;
  }
  const bool entered = tokens_->Enter();
  if (entered) stmt->other = ParseStatement();
  tokens_->Leave();
}

void StatementParser::ParseReply(Stmt* stmt) {
  tokens_->Advance();
  stmt->kind = StmtKind::kReply;
  stmt->expr = expressions_.Parse();
  stmt->alternative = ParseAlternative();
}

// name = expr; name += expr and name -= expr stand for name = name + expr and name = name - expr.
void StatementParser::ParseAssign(Stmt* stmt) {
  const Token name = tokens_->current();
  const TokenKind sign = tokens_->next().kind;
  if (sign != TokenKind::kAssign && sign != TokenKind::kPlusAssign &&
      sign != TokenKind::kMinusAssign) {
    return RefuseStatement();
  }
  stmt->kind = StmtKind::kAssign;
  stmt->name = {name.text, name.offset};
  Expr old = expressions_.StartHere(ExprKind::kName);
  old.text = name.text;
  tokens_->Advance();
  Expr sum = expressions_.StartHere(ExprKind::kBinary);
  tokens_->Advance();
  stmt->expr = expressions_.Parse();
  if (sign == TokenKind::kAssign || tokens_->failed()) return;
  sum.op = sign == TokenKind::kPlusAssign ? Operator::kAdd : Operator::kSubtract;
  sum.first = expressions_.Add(old);
  sum.second = stmt->expr;
  stmt->expr = expressions_.Add(sum);
}

void StatementParser::RefuseStatement() {
  const Token& token = tokens_->current();
  if (tokens_->At(Word::kLater) || tokens_->At(Word::kLaterItem)) {
    return tokens_->FailHere(NotSupportedYet(token.text));
  }
  std::string help;
  if (tokens_->At(TokenKind::kName)) {
    if (tokens_->next().kind == TokenKind::kDot) {
      return tokens_->FailHere("fields are not supported yet: this version serves documents");
    }
    if (tokens_->next().kind == TokenKind::kLeftBracket) {
      return tokens_->FailHere("a range can not be assigned",
                               "join what is around it: text = text[..at] + part + text[at..]");
    }
    const Bytes nearest = tokens_->diagnostics()->Nearest(token.text, StatementWords());
    if (!nearest.empty()) help = absl::StrCat("did you mean `", nearest, "`?");
  }
  tokens_->FailExpected("a statement (`let`, `if`, `require`, `reply` or `name = ...`)", help);
}

}  // namespace pure::modules
