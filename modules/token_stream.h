#pragma once

// TokenStream: the parser's view of the tokens: the current one and the next, and how it gets on
// after an error.
//
// An error puts the stream into the failed state: everything that parses returns at once, up to the
// level that knows where the next sound piece starts, skips to it and calls Recover().

#include <cstdint>
#include <string>

#include "absl/base/attributes.h"
#include "modules/ast.h"
#include "modules/diagnostics.h"
#include "modules/lexer.h"

namespace pure::modules {

class TokenStream {
 public:
  // The tokens of `text` from the octet `begin` on.
  TokenStream(Bytes text ABSL_ATTRIBUTE_LIFETIME_BOUND,
              Diagnostics* diagnostics ABSL_ATTRIBUTE_LIFETIME_BOUND, uint32_t begin = 0);

  const Token& current() const { return current_; }
  const Token& next() const { return next_; }
  bool At(TokenKind kind) const { return current_.kind == kind; }
  bool At(Word word) const { return current_.kind == TokenKind::kWord && current_.word == word; }
  // A name with this text that is no reserved word.
  bool AtName(Bytes text) const { return At(TokenKind::kName) && current_.text == text; }
  // The first token of a line that starts an item or a message.
  bool AtItemStart() const;
  void Advance();

  // True, and advances, when it is there.
  bool Accept(TokenKind kind);
  bool Accept(Word word);

  // Advances over it, or fails with "expected WHAT, but here is ...".
  bool Expect(TokenKind kind, Bytes what);
  // The name here; fails when there is none. `what`: what it names, for the error.
  bool ExpectName(Bytes what, Name* name);

  // Reports an error at the current token and fails.
  void FailHere(std::string what, std::string help = "");
  void FailExpected(Bytes what, std::string help = "");
  bool failed() const { return failed_; }
  void Recover() { failed_ = false; }
  Diagnostics* diagnostics() const { return diagnostics_; }

  // Passes over balanced brackets up to where a statement may start: the first token of a line,
  // behind a `;`, a `}` that closes the block, an item, the end.
  void SkipStatement();
  // Passes over balanced brackets up to the next item at the top level, or the end.
  void SkipItem();
  // Passes over the bracketed group that starts here, if one does.
  void SkipGroup();

  // Nesting: fails when it becomes too deep. Each Enter has its Leave, also when it fails.
  bool Enter();
  void Leave() { --depth_; }

 private:
  std::string Describe() const;
  void CountBracket(uint32_t* depth) const;

  Lexer lexer_;
  Diagnostics* const diagnostics_;
  Token current_;
  Token next_;
  uint32_t depth_ = 0;
  bool failed_ = false;
};

}  // namespace pure::modules
