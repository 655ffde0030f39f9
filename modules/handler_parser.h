#pragma once

// Parses messages, inputs and views: name, parameters, options, faults, and the block or template.

#include "modules/ast.h"
#include "modules/statement_parser.h"
#include "modules/token_stream.h"
#include "modules/type_parser.h"

namespace pure::modules {

class HandlerParser {
 public:
  HandlerParser(Bytes text ABSL_ATTRIBUTE_LIFETIME_BOUND,
                TokenStream* tokens ABSL_ATTRIBUTE_LIFETIME_BOUND,
                Ast* ast ABSL_ATTRIBUTE_LIFETIME_BOUND)
      : text_(text), tokens_(tokens), ast_(ast), types_(tokens, ast), statements_(tokens, ast) {}

  // What starts here with its kind's word. False: it has no name.
  bool Parse(HandlerKind kind, HandlerNode* handler);

  // (name: type, ...). REQUIRES: at the parenthesis.
  void ParseParameters(std::vector<ParameterNode>* parameters);

  // as html, as "text/markdown; charset=utf-8". REQUIRES: at `as`.
  void ParseContentType(Name* content_type, bool* is_word);

  // Reports and passes over an option of a later version, if one stands here.
  bool SkipUnsupportedOption();

 private:
  void ParseOptions(HandlerNode* handler);
  void ParseFault(HandlerNode* handler);
  void ParseText(Bytes what, Name* text);
  bool AtOption() const;

  const Bytes text_;
  TokenStream* const tokens_;
  Ast* const ast_;
  TypeParser types_;
  StatementParser statements_;
};

}  // namespace pure::modules
