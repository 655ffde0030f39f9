#pragma once

// Words: the reserved words of the language. Those of parts that this version does not have are
// reserved too, so that a module that loads today still loads when they come.

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "runtime/bytes.h"

namespace pure::modules {

enum class Word : uint8_t {
  kNotReserved,
  kAnd,
  kAs,
  kDocument,
  kElse,
  kFalse,
  kFault,
  kIf,
  kLet,
  kMessage,
  kModule,
  kNone,
  kNot,
  kOr,
  kReply,
  kRequire,
  kThen,
  kTrue,
  kType,
  kLaterItem,  // `state`, `view`, ...: starts an item that this version does not have
  kLater,      // any other word of such a part
};

// The word that `name` is.
Word WordOf(Bytes name);

// Words that start an item or a message and are supported; for suggestions.
absl::Span<const Bytes> ItemWords();
// Words that start a statement and are supported; for suggestions.
absl::Span<const Bytes> StatementWords();

// "`word` is not supported yet: this version serves documents".
std::string NotSupportedYet(Bytes word);

}  // namespace pure::modules
