#pragma once

// Parses the blocks of messages. A statement ends with its line or a `;`; one that does not parse
// is reported and passed over.

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
  Index ParseBlock();

 private:
  Index ParseStatement();
  void ParseLet(Stmt* stmt);
  void ParseRequire(Stmt* stmt);
  void ParseIf(Stmt* stmt);
  void ParseReply(Stmt* stmt);
  void ParseAssign(Stmt* stmt);
  Index ParseAlternative();
  void RefuseStatement();

  TokenStream* const tokens_;
  Ast* const ast_;
  ExpressionParser expressions_;
};

}  // namespace pure::modules
