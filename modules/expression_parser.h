#pragma once

// Parses expressions into a tree. Operators bind, from loosely to tightly: `or`; `and`; `not`;
// comparisons, which do not chain; + and -; *, / and %; the sign; fields, elements and ranges.

#include "modules/ast.h"
#include "modules/token_stream.h"

namespace pure::modules {

class ExpressionParser {
 public:
  ExpressionParser(TokenStream* tokens ABSL_ATTRIBUTE_LIFETIME_BOUND,
                   Ast* ast ABSL_ATTRIBUTE_LIFETIME_BOUND)
      : tokens_(tokens), ast_(ast) {}

  // In tests, what stands behind a value may be called too: note("a").append(line: "one").
  void AllowMethods() { methods_ = true; }

  // Index of the expression that starts here. After an error the stream has failed and the index
  // names a broken one.
  Index Parse();

  // Index of the clause that starts here, behind its `for`; kNoIndex after an error.
  Index ParseClause();

  // Index of a name and the fields and elements behind it, which starts here.
  Index ParsePlace() { return ParseParts(); }

  // Values with commas between, up to `end` or what is none, as the chain expr->first.
  void ParseValues(TokenKind end, Expr* expr);

  // An expression node of the current token; it is not passed over.
  Expr StartHere(ExprKind kind) const;
  // Adds a finished node, checking the depth of its tree.
  Index Add(Expr expr);

 private:
  Index ParseBinary(int binds_at_least);
  Index ParseNot();
  Index ParseSign();
  Index ParseIf();
  Index ParseParts();
  Index ParseField(Index value);
  Index ParseBracket(Index value);
  Index ParsePrimary();
  Index ParseGroup();
  Index ParseEntry();
  Index ParseRecord();
  Index ParseList();
  Index ParseNameOrCall();
  void Chain(Index node, Index* first, Index* last);
  void RefusePrimary();
  Index Broken();

  TokenStream* const tokens_;
  Ast* const ast_;
  bool methods_ = false;
};

}  // namespace pure::modules
