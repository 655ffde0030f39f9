#pragma once

// Parses the blocks of messages, inputs, views and tests. A statement ends with its line or a `;`;
// one that does not parse is reported and passed over.

#include "modules/ast.h"
#include "modules/expression_parser.h"
#include "modules/token_stream.h"

namespace pure::modules {

class StatementParser {
 public:
  StatementParser(TokenStream* tokens ABSL_ATTRIBUTE_LIFETIME_BOUND,
                  Ast* ast ABSL_ATTRIBUTE_LIFETIME_BOUND)
      : tokens_(tokens), ast_(ast), expressions_(tokens, ast) {}

  // The first statement of the block that starts here; kNoIndex for an empty one, and when the
  // stream has failed.
  Index ParseBlock() { return ParseBlockOf(&StatementParser::ParseStatement); }
  // The same of a test, whose statements are calls and what is expected.
  Index ParseTestBlock() { return ParseBlockOf(&StatementParser::ParseTestStatement); }

 private:
  Index ParseBlockOf(Index (StatementParser::*parse)());
  Index ParseStatement();
  Index ParseTestStatement();
  void ParseLet(Stmt* stmt);
  void ParseRequire(Stmt* stmt);
  void ParseIf(Stmt* stmt);
  void ParseReply(Stmt* stmt);
  void ParseFor(Stmt* stmt);
  void ParseChange(Stmt* stmt);
  void ParseDrop(Stmt* stmt);
  void ParseSee(Stmt* stmt);
  void ParsePlace(Stmt* stmt);
  void ParseAssign(TokenKind sign, Stmt* stmt);
  void ParseMethod(Stmt* stmt);
  Index ParseAlternative();
  void RefuseStatement();

  TokenStream* const tokens_;
  Ast* const ast_;
  ExpressionParser expressions_;
};

}  // namespace pure::modules
