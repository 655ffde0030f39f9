#pragma once

// Checks a syntax tree: names, types, bounds, faults, content types; and notes at each node what
// the compiler needs. It goes on after every error; what is broken has the error type, which goes
// with everything, so one mistake is reported once.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "modules/ast.h"
#include "modules/diagnostics.h"
#include "modules/faults.h"
#include "modules/info.h"
#include "modules/scope.h"
#include "modules/types.h"

namespace pure::modules {

// What a name in an expression turned out to be.
enum class Meaning : uint8_t {
  kNone,
  kSlot,   // a value with a name: number is its slot
  kFault,  // number is its index among the module's faults
  kCase,   // number is the case's
};

struct ExprNote {
  Known known;
  Meaning meaning = Meaning::kNone;
  uint16_t number = 0;
};

struct CheckedParameter {
  std::string name;
  Type type;
};

struct CheckedMessage {
  std::string name;
  const MessageNode* node = nullptr;  // lives with the tree
  std::vector<CheckedParameter> parameters;
  uint16_t slot_count = 0;  // fixed ones, parameters and locals
  bool writes = false;
  bool is_show = false;
  bool is_edit = false;
  uint16_t
      builtin_faults[kBuiltinFaultCount];  // which of the module's faults each is in this message
  int64_t reply_bytes_max = 0;             // of an answer that is made
};

struct CheckedDocument {
  bool there = false;
  std::string name;
  Type key_type;
  Type type;
  std::string content_type;
  std::vector<CheckedMessage> messages;
};

// REQUIRES of users: nothing was reported.
struct Checked {
  CheckedDocument document;
  std::vector<FaultInfo> faults;  // the builtin ones first
  ChoiceTable choices;
  std::vector<ExprNote> exprs;       // by index in the tree
  std::vector<uint16_t> stmt_slots;  // by index in the tree: what kLet and kAssign fill
};

Checked Check(const Ast& ast, Diagnostics* diagnostics);

}  // namespace pure::modules
