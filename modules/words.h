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
  kBy,
  kChange,
  kDocument,
  kDown,
  kDrop,
  kElse,
  kFalse,
  kFault,
  kFn,
  kFor,
  kIf,
  kIn,
  kInput,
  kLet,
  kList,
  kMap,
  kMessage,
  kModule,
  kNone,
  kNot,
  kOr,
  kReply,
  kRequire,
  kRing,
  kSee,
  kSet,
  kSkip,
  kState,
  kTake,
  kTest,
  kThen,
  kTrue,
  kType,
  kView,
  kLaterItem,  // `role`, `every`, ...: starts an item that this version does not have
  kLater,      // any other word of such a part
};

// The word that `name` is.
Word WordOf(Bytes name);

// Words that start an item or a message and are supported; for suggestions.
absl::Span<const Bytes> ItemWords();
// Words that start a statement and are supported; for suggestions.
absl::Span<const Bytes> StatementWords();

// "`word` is not supported yet".
std::string NotSupportedYet(Bytes word);

}  // namespace pure::modules
