#pragma once

// Parses the types of parameters, keys and values: bool, int(lo..hi), text(..N), slug(N),
// bytes(..N), one of a b, an alias; each may end in `?`.

#include "modules/ast.h"
#include "modules/token_stream.h"

namespace pure::modules {

class TypeParser {
 public:
  TypeParser(TokenStream* tokens ABSL_ATTRIBUTE_LIFETIME_BOUND,
             Ast* ast ABSL_ATTRIBUTE_LIFETIME_BOUND)
      : tokens_(tokens), ast_(ast) {}

  // Index of the type that starts here. Types that this version does not have are reported and come
  // out broken; the stream fails only where no type stands.
  Index Parse();

 private:
  void ParseOne(TypeNode* node);
  bool RefuseLater();
  void ParseRecord(TypeNode* node);
  void ParseCollection(TypeNodeKind kind, TypeNode* node);
  void ParseCases(TypeNode* node);
  void ParseBounds(TypeNode* node);
  void ParseNumber(Number* number);

  TokenStream* const tokens_;
  Ast* const ast_;
};

}  // namespace pure::modules
