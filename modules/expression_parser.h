#pragma once

// Parses expressions into a tree. Operators bind, from loosely to tightly: `or`; `and`; `not`;
// comparisons, which do not chain; + and -; *, / and %; the sign; ranges.

#include "modules/ast.h"
#include "modules/token_stream.h"

namespace pure::modules {

class ExpressionParser {
 public:
  ExpressionParser(TokenStream* tokens ABSL_ATTRIBUTE_LIFETIME_BOUND,
                   Ast* ast ABSL_ATTRIBUTE_LIFETIME_BOUND)
      : tokens_(tokens), ast_(ast) {}

  // Index of the expression that starts here. After an error the stream has failed and the index
  // names a broken one.
  Index Parse();

  // An expression node of the current token; it is not passed over.
  Expr StartHere(ExprKind kind) const;
  // Adds a finished node, checking the depth of its tree.
  Index Add(Expr expr);

 private:
  Index ParseBinary(int binds_at_least);
  Index ParseNot();
  Index ParseSign();
  Index ParseRanges();
  Index ParseRange(Index value);
  Index ParsePrimary();
  Index ParseIf();
  Index ParseNameOrCall();
  void RefusePrimary();
  Index Broken();

  TokenStream* const tokens_;
  Ast* const ast_;
};

}  // namespace pure::modules
