#pragma once

// Ast: the syntax tree of a module text. Nodes stand in arrays and name each other by index, so a
// tree costs one allocation an array and is freed without recursion; its memory is in proportion to
// the text.
//
// Lifetime: names and texts point into the module text.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "modules/lexer.h"
#include "runtime/bytes.h"

namespace pure::modules {

using Index = uint32_t;
inline constexpr Index kNoIndex = 0xFFFFFFFF;

// Deepest nesting of blocks, expressions and types: bounds the recursion of every pass.
inline constexpr uint16_t kDepthMax = 200;

struct Name {
  Bytes text;
  uint32_t offset = 0;
};

enum class TypeNodeKind : uint8_t {
  kBroken,  // reported by the parser
  kNamed,   // a word of the language or an alias, with bounds or without
  kChoice,  // one of a b c
};

// A whole number as it is written, with its sign.
struct Number {
  bool negative = false;
  uint64_t magnitude = 0;
  uint32_t offset = 0;
};

struct TypeNode {
  TypeNodeKind kind = TypeNodeKind::kBroken;
  bool option = false;     // T?
  bool has_low = false;    // (M..N)
  bool has_high = false;   // (..N), (M..N) or (N)
  bool has_range = false;  // `..` was written
  Name name;
  Number low;
  Number high;
  std::vector<Name> cases;
};

enum class ExprKind : uint8_t {
  kBroken,  // reported by the parser
  kInt,
  kText,
  kBool,
  kNone,
  kName,
  kUnary,   // first; op is kMinus, or kWord for `not`
  kBinary,  // first, second
  kIf,      // if first then second else third
  kCall,    // name(first, its next, ...)
  kSlice,   // first[second..third]; second, third: kNoIndex where it is open
};

enum class Operator : uint8_t {
  kNone,
  kNegate,
  kNot,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kModulo,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kAnd,
  kOr,
};

struct Expr {
  ExprKind kind = ExprKind::kBroken;
  Operator op = Operator::kNone;
  uint16_t depth = 1;   // of the tree below, itself included
  uint32_t offset = 0;  // where an error of it points: a binary's operator, else its start
  uint32_t start = 0;
  Index first = kNoIndex;
  Index second = kNoIndex;
  Index third = kNoIndex;
  Index next = kNoIndex;  // of a call's arguments
  uint64_t number = 0;    // kInt: magnitude; kBool: 0 or 1
  Bytes text;             // kText, kName, kCall
};

enum class StmtKind : uint8_t {
  kBroken,   // reported by the parser
  kLet,      // let name = expr [else alternative]
  kAssign,   // name = expr
  kRequire,  // require expr else alternative
  kIf,       // if expr body else other
  kReply,    // reply expr [else alternative]
};

struct Stmt {
  StmtKind kind = StmtKind::kBroken;
  uint32_t offset = 0;
  Name name;
  Index expr = kNoIndex;
  Index alternative = kNoIndex;  // a name of a fault, or a value
  Index body = kNoIndex;         // first statement
  Index other = kNoIndex;        // first statement of the else part
  bool has_other = false;
  Index next = kNoIndex;  // in its block
};

struct TypeItem {
  Name name;
  Index type = kNoIndex;
};

struct ParameterNode {
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

struct MessageNode {
  Name name;
  std::vector<ParameterNode> parameters;
  std::vector<FaultNode> faults;
  Index body = kNoIndex;  // first statement
};

struct DocumentItem {
  Name name;
  Name key;
  Index key_type = kNoIndex;
  Index type = kNoIndex;
  uint32_t type_offset = 0;
  bool has_content_type = false;
  bool content_type_is_word = false;  // `as html`; else `as "text/html"`
  Name content_type;
  std::vector<MessageNode> messages;
};

enum class ItemKind : uint8_t { kType, kDocument };

struct Item {
  ItemKind kind = ItemKind::kType;
  size_t index = 0;  // into types or documents
};

struct Ast {
  Name name;
  uint64_t version = 0;
  bool unsupported_items = false;  // something was passed over
  std::vector<Item> items;         // in the order of the file
  std::vector<TypeItem> types;
  std::vector<DocumentItem> documents;

  std::vector<TypeNode> type_nodes;
  std::vector<Expr> exprs;
  std::vector<Stmt> stmts;
};

}  // namespace pure::modules
