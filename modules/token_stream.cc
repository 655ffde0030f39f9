#include "modules/token_stream.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace pure::modules {

TokenStream::TokenStream(Bytes text, Diagnostics* diagnostics, uint32_t begin)
    : lexer_(text, diagnostics, begin), diagnostics_(diagnostics) {
  current_ = lexer_.Next();
  next_ = lexer_.Next();
}

void TokenStream::Advance() {
  current_ = next_;
  next_ = lexer_.Next();
}

bool TokenStream::AtItemStart() const {
  if (!current_.newline_before || current_.kind != TokenKind::kWord) return false;
  switch (current_.word) {
    case Word::kType:
    case Word::kDocument:
    case Word::kFn:
    case Word::kInput:
    case Word::kMessage:
    case Word::kModule:
    case Word::kState:
    case Word::kTest:
    case Word::kView:
    case Word::kLaterItem:
      return true;
    default:
      return false;
  }
}

bool TokenStream::Accept(TokenKind kind) {
  if (failed_ || !At(kind)) return false;
  Advance();
  return true;
}

bool TokenStream::Accept(Word word) {
  if (failed_ || !At(word)) return false;
  Advance();
  return true;
}

bool TokenStream::Expect(TokenKind kind, Bytes what) {
  if (failed_) return false;
  if (Accept(kind)) return true;
  FailExpected(what);
  return false;
}

bool TokenStream::ExpectName(Bytes what, Name* name) {
  if (failed_) return false;
  name->offset = current_.offset;
  name->text = current_.text;
  if (Accept(TokenKind::kName)) return true;
  if (At(TokenKind::kWord)) {
    FailHere(
        absl::StrCat("`", current_.text, "` is a word of the language and can not name ", what));
  } else if (At(TokenKind::kTypeName)) {
    FailHere(absl::StrCat("`", Shortened(current_.text), "` can not name ", what),
             "such names start with a lower-case letter");
  } else {
    FailExpected(absl::StrCat("a name for ", what));
  }
  return false;
}

void TokenStream::FailHere(std::string what, std::string help) {
  if (failed_) return;
  failed_ = true;
  diagnostics_->Add(current_.offset, std::move(what), std::move(help));
}

void TokenStream::FailExpected(Bytes what, std::string help) {
  FailHere(absl::StrCat("expected ", what, ", but here is ", Describe()), std::move(help));
}

std::string TokenStream::Describe() const {
  switch (current_.kind) {
    case TokenKind::kEnd:
      return "the end of the file";
    case TokenKind::kText:
      return "a text";
    case TokenKind::kTemplate:
      return "a template";
    default:
      return absl::StrCat("`", Shortened(current_.text), "`");
  }
}

// Follows brackets at the current token.
void TokenStream::CountBracket(uint32_t* depth) const {
  switch (current_.kind) {
    case TokenKind::kLeftParen:
    case TokenKind::kLeftBrace:
    case TokenKind::kLeftBracket:
      ++*depth;
      break;
    case TokenKind::kRightParen:
    case TokenKind::kRightBrace:
    case TokenKind::kRightBracket:
      if (*depth > 0) --*depth;
      break;
    default:
      break;
  }
}

void TokenStream::SkipStatement() {
  uint32_t depth = 0;
  bool first = true;
  while (!At(TokenKind::kEnd)) {
    if (!first && AtItemStart()) return;
    if (depth == 0 && (At(TokenKind::kRightBrace) || At(TokenKind::kSemicolon))) return;
    if (depth == 0 && !first && current_.newline_before) return;
    CountBracket(&depth);
    Advance();
    first = false;
  }
}

void TokenStream::SkipItem() {
  uint32_t depth = 0;
  bool first = true;
  while (!At(TokenKind::kEnd) && (first || depth > 0 || !AtItemStart())) {
    CountBracket(&depth);
    Advance();
    first = false;
  }
}

void TokenStream::SkipGroup() {
  uint32_t depth = 0;
  do {
    CountBracket(&depth);
    if (depth == 0) return;
    Advance();
    if (depth == 1 && (At(TokenKind::kRightParen) || At(TokenKind::kRightBrace) ||
                       At(TokenKind::kRightBracket))) {
      Advance();
      return;
    }
  } while (!At(TokenKind::kEnd));
}

bool TokenStream::Enter() {
  if (++depth_ <= kDepthMax) return !failed_;
  FailHere("this nests too deeply", absl::StrCat("at most ", kDepthMax, " levels"));
  return false;
}

}  // namespace pure::modules
