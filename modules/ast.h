#pragma once

// Ast: the syntax tree of a module text. Nodes stand in arrays and name each other by index, so a
// tree costs one allocation an array and is freed without recursion; its memory is in proportion to
// the text.
//
// Lifetime: names and texts point into the module text.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "modules/nodes.h"
#include "runtime/bytes.h"

namespace pure::modules {

struct TypeItem {
  Name name;
  Index type = kNoIndex;
};

struct FaultNode {
  Name name;
  uint64_t status = 0;
  uint32_t status_offset = 0;
  Bytes text;
  uint32_t text_offset = 0;
};

enum class HandlerKind : uint8_t { kMessage, kInput, kView };

// A message, an input or a view.
struct HandlerNode {
  HandlerKind kind = HandlerKind::kMessage;
  Name name;
  std::vector<ParameterNode> parameters;
  std::vector<FaultNode> faults;
  Name path;                          // at "/sign"; the text, may be empty
  Name see;                           // see "/"
  Name content_type;                  // as ...
  bool content_type_is_word = false;  // `as html`; else `as "text/html"`
  bool is_template = false;
  Index body = kNoIndex;  // first statement
};

struct FunctionItem {
  Name name;
  std::vector<ParameterNode> parameters;
  Index type = kNoIndex;
  Index expr = kNoIndex;
};

struct StateItem {
  Name name;
  Index type = kNoIndex;
  uint32_t type_offset = 0;
  Index expr = kNoIndex;  // what it is at first
};

struct TestItem {
  Name name;  // a text in quotes
  Index body = kNoIndex;
};

struct DocumentItem {
  Name name;
  Name key;
  Index key_type = kNoIndex;
  Index type = kNoIndex;
  uint32_t type_offset = 0;
  Name content_type;                  // as ...
  bool content_type_is_word = false;  // `as html`; else `as "text/html"`
  std::vector<HandlerNode> messages;
};

enum class ItemKind : uint8_t { kType, kFunction, kState, kDocument, kHandler, kTest };

struct Item {
  ItemKind kind = ItemKind::kType;
  size_t index = 0;  // into the array of its kind
};

struct Ast {
  Name name;
  uint64_t version = 0;
  bool unsupported_items = false;  // something was passed over
  std::vector<Item> items;         // in the order of the file
  std::vector<TypeItem> types;
  std::vector<FunctionItem> functions;
  std::vector<StateItem> states;
  std::vector<DocumentItem> documents;
  std::vector<HandlerNode> handlers;  // inputs and views
  std::vector<TestItem> tests;

  std::vector<TypeNode> type_nodes;
  std::vector<ClauseNode> clauses;
  std::vector<Expr> exprs;
  std::vector<Stmt> stmts;
};

}  // namespace pure::modules
