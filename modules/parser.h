#pragma once

// Parses a module text into a syntax tree in one pass. It goes on after an error, with the next
// statement or item.
//
// Grammar: docs/language.md. Cost: time and memory linear in the text; recursion is bounded by
// kDepthMax.

#include "modules/ast.h"
#include "modules/diagnostics.h"
#include "runtime/bytes.h"

namespace pure::modules {

// Most messages of a document, parameters and faults of one message, and so on.
inline constexpr size_t kMessagesMax = 1000;
inline constexpr size_t kParametersMax = 64;
inline constexpr size_t kFaultsMax = 64;
inline constexpr size_t kCasesMax = 256;
inline constexpr size_t kFieldsMax = 64;   // of a record
inline constexpr size_t kItemsMax = 1000;  // of each kind

// The tree points into `text`. Broken parts are marked in it, and every error stands in
// `diagnostics`. REQUIRES: text is UTF-8 and smaller than 4 GiB.
Ast Parse(Bytes text, Diagnostics* diagnostics);

}  // namespace pure::modules
