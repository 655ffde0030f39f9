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
  kSlot,      // a value with a name: number is its slot
  kFault,     // number is its index among the module's faults
  kCase,      // number is the case's
  kState,     // number is the state's
  kFunction,  // number is the function's
  kField,     // number is the field's
};

struct ExprNote {
  Known known;
  Meaning meaning = Meaning::kNone;
  uint16_t number = 0;
};

// Where a clause keeps its element, and, if it names it, the element's index or key.
struct ClauseNote {
  uint16_t first = 0;
  uint16_t second = 0;
  uint64_t bound = 0;  // most elements that it goes over,
  uint64_t taken = 0;  // and that it takes
};

struct CheckedParameter {
  std::string name;
  Type type;
};

struct CheckedHandler {
  std::string name;
  const HandlerNode* node = nullptr;  // lives with the tree
  std::vector<CheckedParameter> parameters;
  uint16_t slot_count = 0;  // fixed ones, parameters and locals
  bool writes = false;      // the document's value, or a state
  bool is_show = false;
  bool is_edit = false;
  // Which of the module's faults each is here.
  uint16_t builtin_faults[kBuiltinFaultCount];
  int64_t reply_bytes_max = 0;  // of an answer that is made
  std::string content_type;     // of a view
  std::string path;             // at; of inputs and views, may be empty
  std::string see;              // may be empty
};

struct CheckedDocument {
  bool there = false;
  std::string name;
  Type key_type;
  Type type;
  std::string content_type;
  std::vector<CheckedHandler> messages;
};

struct CheckedState {
  std::string name;
  Type type;
  Index expr = kNoIndex;  // what it is at first
  uint16_t slot_count = 0;
};

struct CheckedFunction {
  Bytes name;
  std::vector<Type> parameters;
  Type type;
  Index expr = kNoIndex;
  uint16_t slot_count = 0;  // its parameters come first
};

// A call in a test: what it calls, and where its answer is for the rest of its statement.
struct CheckedCall {
  enum class Target : uint8_t { kHandler, kMessage, kRevision };
  Target target = Target::kHandler;
  uint16_t index = 0;            // of the handler or message
  std::vector<Index> arguments;  // by parameter; kNoIndex: none. Of a document, the key comes first
  std::vector<Type> parameters;  // what they are to be
  uint16_t slot = 0;
};

struct CheckedStep {
  const Stmt* stmt = nullptr;  // lives with the tree
  std::vector<CheckedCall> calls;
  bool has_condition = false;  // the statement's expression, which is true or false
  uint16_t slot_count = 0;
};

struct CheckedTest {
  Name name;
  std::vector<CheckedStep> steps;
};

// REQUIRES of users: nothing was reported.
struct Checked {
  CheckedDocument document;
  std::vector<CheckedState> states;
  std::vector<CheckedFunction> functions;
  std::vector<CheckedHandler> handlers;  // inputs and views
  std::vector<CheckedTest> tests;
  std::vector<FaultInfo> faults;  // the builtin ones first
  Shapes shapes;
  std::vector<ExprNote> exprs;       // by index in the tree
  std::vector<ClauseNote> clauses;   // by index in the tree
  std::vector<uint16_t> stmt_slots;  // by index in the tree: what kLet and kAssign fill
};

Checked Check(const Ast& ast, Diagnostics* diagnostics);

}  // namespace pure::modules
