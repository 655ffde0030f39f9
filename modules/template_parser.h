#pragma once

// Parses a template into the statements that make its page: texts, holes, clauses and conditions.

#include "modules/ast.h"
#include "modules/diagnostics.h"
#include "modules/lexer.h"
#include "runtime/bytes.h"

namespace pure::modules {

// What a template makes, and so how its holes are escaped.
enum class PageKind : uint8_t { kHtml, kCsv, kPlain };

// The first statement of the template that `token` is; kNoIndex when it is empty or has errors.
// `text`: the whole module.
Index ParseTemplate(Bytes text, const Token& token, PageKind kind, Diagnostics* diagnostics,
                    Ast* ast);

}  // namespace pure::modules
