#pragma once

// Lexer: cuts a module text into tokens, one at a time.
//
// Lifetime: borrows text and diagnostics for its own life; tokens point into the text.
// Cost: linear in the text, no memory but the errors.

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/base/attributes.h"
#include "modules/diagnostics.h"
#include "modules/words.h"
#include "runtime/bytes.h"

namespace pure::modules {

inline constexpr size_t kNameBytesMax = 64;

enum class TokenKind : uint8_t {
  kEnd,
  kName,      // [a-z][a-z0-9_]* that is not reserved
  kWord,      // a reserved one
  kTypeName,  // [A-Z][A-Za-z0-9]*
  kInt,       // 12, 1_000, 4KiB
  kDuration,  // 30s
  kText,      // "..."; Token::text is what stands between the quotes, escapes and all
  kTemplate,  // <<< ... >>>
  kLeftParen,
  kRightParen,
  kLeftBrace,
  kRightBrace,
  kLeftBracket,
  kRightBracket,
  kComma,
  kColon,
  kSemicolon,
  kDot,
  kDotDot,
  kQuestion,
  kAssign,
  kPlusAssign,
  kMinusAssign,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kPlus,
  kMinus,
  kStar,
  kSlash,
  kPercent,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  Word word = Word::kNotReserved;
  bool newline_before = false;  // it is the first of its line
  uint32_t offset = 0;
  uint64_t number = 0;  // kInt; kDuration: milliseconds
  Bytes text;           // as written; of kText without the quotes
};

class Lexer {
 public:
  // Begins at the octet `begin` of the text. REQUIRES: text is UTF-8 and smaller than 4 GiB.
  Lexer(Bytes text ABSL_ATTRIBUTE_LIFETIME_BOUND,
        Diagnostics* diagnostics ABSL_ATTRIBUTE_LIFETIME_BOUND, uint32_t begin = 0);

  // The next token; kEnd again and again after the last. What is no token is reported and passed
  // over.
  Token Next();

 private:
  char Peek(size_t ahead = 0) const;
  void SkipSpace();
  Token Start(TokenKind kind) const;
  void Finish(Token* token) const;
  bool LexSymbol(Token* token);
  void LexName(Token* token);
  void LexNumber(Token* token);
  void LexUnit(Token* token, size_t digits_end);
  void LexText(Token* token);
  void CheckEscape();
  void LexTemplate(Token* token);
  void SkipUnknown();

  const Bytes text_;
  Diagnostics* const diagnostics_;
  size_t position_ = 0;
  bool newline_ = true;  // nothing but space since the start of the line
};

// What a kText token stands for. REQUIRES: the lexer found nothing wrong with it.
std::string DecodeText(Bytes raw);

// `name` as it may be printed: cut when it is very long.
Bytes Shortened(Bytes name);

}  // namespace pure::modules
