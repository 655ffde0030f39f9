#include "modules/type_parser.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "modules/parser.h"

namespace pure::modules {

Index TypeParser::Parse() {
  TypeNode node;
  if (tokens_->failed()) return kNoIndex;
  if (!RefuseLater()) {
    node.name = {tokens_->current().text, tokens_->current().offset};
    if (tokens_->AtName("one") && tokens_->next().text == "of") {
      tokens_->Advance();
      tokens_->Advance();
      ParseCases(&node);
    } else if (tokens_->Accept(TokenKind::kName) || tokens_->Accept(TokenKind::kTypeName)) {
      node.kind = TypeNodeKind::kNamed;
      if (tokens_->At(TokenKind::kLeftParen)) ParseBounds(&node);
    } else {
      tokens_->FailExpected("a type", "for example text(1..80), bytes(..1MiB) or int");
    }
  }
  node.option = tokens_->Accept(TokenKind::kQuestion);
  if (tokens_->At(TokenKind::kQuestion)) tokens_->FailHere("one `?` is enough");
  if (tokens_->failed()) node.kind = TypeNodeKind::kBroken;
  ast_->type_nodes.push_back(std::move(node));
  return static_cast<Index>(ast_->type_nodes.size() - 1);
}

// Reports and passes over a type of a later version, if one stands here.
bool TypeParser::RefuseLater() {
  const Token token = tokens_->current();
  const bool record = token.kind == TokenKind::kLeftBrace;
  const bool word = token.kind == TokenKind::kWord && token.word == Word::kLater;
  const bool name = tokens_->AtName("time") || tokens_->AtName("span") || tokens_->AtName("dec");
  if (!record && !word && !name) return false;
  tokens_->diagnostics()->Add(
      token.offset, record ? "records are not supported yet: this version serves documents"
                           : NotSupportedYet(token.text));
  if (!record) tokens_->Advance();
  if (record || tokens_->At(TokenKind::kLeftParen)) tokens_->SkipGroup();
  return true;
}

void TypeParser::ParseCases(TypeNode* node) {
  node->kind = TypeNodeKind::kChoice;
  Name name;
  do {
    if (!tokens_->ExpectName("a case", &name)) return;
    node->cases.push_back(name);
  } while (tokens_->At(TokenKind::kName) && node->cases.size() < kCasesMax);
  if (tokens_->At(TokenKind::kName)) {
    tokens_->FailHere(absl::StrCat("a type has at most ", kCasesMax, " cases"));
  }
}

// (N), (..N) or (M..N)
void TypeParser::ParseBounds(TypeNode* node) {
  tokens_->Advance();
  Number first;
  if (!tokens_->At(TokenKind::kDotDot)) {
    ParseNumber(&first);
    node->has_low = true;
    node->low = first;
  }
  if (tokens_->Accept(TokenKind::kDotDot)) {
    node->has_range = true;
    node->has_high = true;
    ParseNumber(&node->high);
  } else if (node->has_low) {
    node->has_low = false;
    node->has_high = true;
    node->high = first;
  }
  tokens_->Expect(TokenKind::kRightParen, node->has_range ? "`)`" : "`..` or `)`");
}

void TypeParser::ParseNumber(Number* number) {
  number->offset = tokens_->current().offset;
  number->negative = tokens_->Accept(TokenKind::kMinus);
  number->magnitude = tokens_->current().number;
  tokens_->Expect(TokenKind::kInt, "a number");
}

}  // namespace pure::modules
