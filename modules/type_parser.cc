#include "modules/type_parser.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "modules/parser.h"

namespace pure::modules {

Index TypeParser::Parse() {
  TypeNode node;
  if (tokens_->failed()) return kNoIndex;
  const bool entered = tokens_->Enter();
  node.name = {tokens_->current().text, tokens_->current().offset};
  if (entered) ParseOne(&node);
  tokens_->Leave();
  node.option = tokens_->Accept(TokenKind::kQuestion);
  if (tokens_->At(TokenKind::kQuestion)) tokens_->FailHere("one `?` is enough");
  if (tokens_->failed()) node.kind = TypeNodeKind::kBroken;
  ast_->type_nodes.push_back(std::move(node));
  return static_cast<Index>(ast_->type_nodes.size() - 1);
}

void TypeParser::ParseOne(TypeNode* node) {
  if (RefuseLater()) return;
  if (tokens_->AtName("one") && tokens_->next().text == "of") {
    tokens_->Advance();
    tokens_->Advance();
    ParseCases(node);
  } else if (tokens_->At(TokenKind::kLeftBrace)) {
    ParseRecord(node);
  } else if (tokens_->Accept(Word::kList)) {
    ParseCollection(TypeNodeKind::kList, node);
  } else if (tokens_->Accept(Word::kRing)) {
    ParseCollection(TypeNodeKind::kRing, node);
  } else if (tokens_->Accept(Word::kMap)) {
    ParseCollection(TypeNodeKind::kMap, node);
  } else if (tokens_->Accept(Word::kSet)) {
    ParseCollection(TypeNodeKind::kSet, node);
  } else if (tokens_->Accept(TokenKind::kName) || tokens_->Accept(TokenKind::kTypeName)) {
    node->kind = TypeNodeKind::kNamed;
    if (tokens_->At(TokenKind::kLeftParen)) ParseBounds(node);
  } else {
    tokens_->FailExpected("a type", "for example text(1..80), bytes(..1MiB) or int");
  }
}

// Reports and passes over a type of a later version, if one stands here.
bool TypeParser::RefuseLater() {
  const Token token = tokens_->current();
  const bool word = token.kind == TokenKind::kWord && token.word == Word::kLater;
  if (!word && !tokens_->AtName("dec")) return false;
  tokens_->diagnostics()->Add(token.offset, NotSupportedYet(token.text));
  tokens_->Advance();
  if (tokens_->At(TokenKind::kLeftParen)) tokens_->SkipGroup();
  return true;
}

// { name: type, ... }
void TypeParser::ParseRecord(TypeNode* node) {
  node->kind = TypeNodeKind::kRecord;
  tokens_->Advance();
  while (!tokens_->failed() && !tokens_->At(TokenKind::kRightBrace)) {
    ParameterNode field;
    if (!tokens_->ExpectName("a field", &field.name)) return;
    tokens_->Expect(TokenKind::kColon, "`:` and the field's type");
    field.type = Parse();
    if (node->fields.size() == kFieldsMax) {
      return tokens_->FailHere(absl::StrCat("a record has at most ", kFieldsMax, " fields"));
    }
    node->fields.push_back(field);
    if (!tokens_->Accept(TokenKind::kComma)) break;
  }
  tokens_->Expect(TokenKind::kRightBrace, "`,` or `}`");
}

// (T, N), of a map (K, T, N)
void TypeParser::ParseCollection(TypeNodeKind kind, TypeNode* node) {
  node->kind = kind;
  tokens_->Expect(TokenKind::kLeftParen, "`(`, what is in it and how many at most");
  if (kind == TypeNodeKind::kMap) {
    node->key = Parse();
    tokens_->Expect(TokenKind::kComma, "`,` and the type of the values");
  }
  node->element = Parse();
  tokens_->Expect(TokenKind::kComma, "`,` and how many at most");
  if (!tokens_->failed()) ParseNumber(&node->high);
  tokens_->Expect(TokenKind::kRightParen, "`)`");
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
