#include "modules/statement_parser.h"

#include "absl/strings/str_cat.h"

namespace pure::modules {

Index StatementParser::ParseBlockOf(Index (StatementParser::*parse)()) {
  if (!tokens_->Expect(TokenKind::kLeftBrace, "`{`")) return kNoIndex;
  const bool entered = tokens_->Enter();
  Index first = kNoIndex;
  Index last = kNoIndex;
  while (entered && !tokens_->At(TokenKind::kRightBrace)) {
    if (tokens_->Accept(TokenKind::kSemicolon)) continue;
    if (tokens_->At(TokenKind::kEnd) || tokens_->AtItemStart()) break;
    const Index stmt = (this->*parse)();
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
  } else if (tokens_->At(Word::kFor)) {
    ParseFor(&stmt);
  } else if (tokens_->At(Word::kChange)) {
    ParseChange(&stmt);
  } else if (tokens_->At(Word::kDrop)) {
    ParseDrop(&stmt);
  } else if (tokens_->At(Word::kSee)) {
    ParseSee(&stmt);
  } else if (tokens_->At(TokenKind::kName)) {
    ParsePlace(&stmt);
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

// name(arguments); expect value; expect name(arguments) fault name
Index StatementParser::ParseTestStatement() {
  Stmt stmt;
  stmt.offset = tokens_->current().offset;
  stmt.kind = StmtKind::kRun;
  if (tokens_->AtName("expect")) {
    stmt.kind = StmtKind::kExpect;
    tokens_->Advance();
  }
  ExpressionParser expressions(tokens_, ast_);
  expressions.AllowMethods();
  stmt.expr = expressions.Parse();
  if (stmt.kind == StmtKind::kExpect && tokens_->Accept(Word::kFault)) {
    stmt.name = {tokens_->current().text, tokens_->current().offset};
    if (!tokens_->Accept(Word::kType)) tokens_->ExpectName("the fault", &stmt.name);
  }
  if (tokens_->failed()) stmt.kind = StmtKind::kBroken;
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

void StatementParser::ParseFor(Stmt* stmt) {
  tokens_->Advance();
  stmt->kind = StmtKind::kFor;
  stmt->clause = expressions_.ParseClause();
  if (!tokens_->failed()) stmt->body = ParseBlock();
}

void StatementParser::ParseChange(Stmt* stmt) {
  tokens_->Advance();
  stmt->kind = StmtKind::kChange;
  stmt->clause = expressions_.ParseClause();
  if (!tokens_->failed()) stmt->body = ParseBlock();
  stmt->alternative = ParseAlternative();
}

void StatementParser::ParseDrop(Stmt* stmt) {
  tokens_->Advance();
  stmt->kind = StmtKind::kDrop;
  stmt->clause = expressions_.ParseClause();
}

void StatementParser::ParseSee(Stmt* stmt) {
  tokens_->Advance();
  stmt->kind = StmtKind::kSee;
  stmt->expr = expressions_.Parse();
}

// What starts with a name: an assignment, or `place.push(...)` and the like.
void StatementParser::ParsePlace(Stmt* stmt) {
  const TokenKind behind = tokens_->next().kind;
  if (behind != TokenKind::kAssign && behind != TokenKind::kPlusAssign &&
      behind != TokenKind::kMinusAssign && behind != TokenKind::kDot &&
      behind != TokenKind::kLeftBracket) {
    return RefuseStatement();
  }
  stmt->name = {tokens_->current().text, tokens_->current().offset};
  stmt->place = expressions_.ParsePlace();
  if (tokens_->failed()) return;
  if (ast_->exprs[stmt->place].kind == ExprKind::kSlice) {
    tokens_->diagnostics()->Add(stmt->name.offset, "a range can not be assigned",
                                "join what is around it: text = text[..at] + part + text[at..]");
    tokens_->Advance();
    (void)expressions_.Parse();
    stmt->kind = StmtKind::kBroken;
    return;
  }
  const TokenKind sign = tokens_->current().kind;
  if (sign == TokenKind::kLeftParen) return ParseMethod(stmt);
  if (sign == TokenKind::kAssign || sign == TokenKind::kPlusAssign ||
      sign == TokenKind::kMinusAssign) {
    return ParseAssign(sign, stmt);
  }
  tokens_->FailExpected("`=`, `+=`, `-=` or `(`");
}

// place = expr; place += expr and place -= expr stand for place = place + expr and so on.
void StatementParser::ParseAssign(TokenKind sign, Stmt* stmt) {
  stmt->kind = StmtKind::kAssign;
  Expr sum = expressions_.StartHere(ExprKind::kBinary);
  tokens_->Advance();
  stmt->expr = expressions_.Parse();
  if (sign == TokenKind::kAssign || tokens_->failed()) return;
  sum.op = sign == TokenKind::kPlusAssign ? Operator::kAdd : Operator::kSubtract;
  sum.first = stmt->place;
  sum.second = stmt->expr;
  stmt->expr = expressions_.Add(sum);
}

// place.name(expr, ...)
void StatementParser::ParseMethod(Stmt* stmt) {
  const Expr& method = ast_->exprs[stmt->place];
  if (method.kind != ExprKind::kField) {
    return tokens_->FailHere("a function makes a value, and is no statement");
  }
  stmt->kind = StmtKind::kCall;
  stmt->name = {method.text, method.offset};
  stmt->place = method.first;
  Expr arguments = expressions_.StartHere(ExprKind::kCall);
  tokens_->Advance();
  expressions_.ParseValues(TokenKind::kRightParen, &arguments);
  tokens_->Expect(TokenKind::kRightParen, "`,` or `)`");
  stmt->expr = arguments.first;
}

void StatementParser::RefuseStatement() {
  const Token& token = tokens_->current();
  if (tokens_->At(Word::kLater) || tokens_->At(Word::kLaterItem)) {
    return tokens_->FailHere(NotSupportedYet(token.text));
  }
  std::string help;
  if (tokens_->At(TokenKind::kName)) {
    const Bytes nearest = tokens_->diagnostics()->Nearest(token.text, StatementWords());
    if (!nearest.empty()) help = absl::StrCat("did you mean `", nearest, "`?");
  }
  tokens_->FailExpected("a statement (`let`, `if`, `for`, `require`, `reply`, `name = ...`)", help);
}

}  // namespace pure::modules
