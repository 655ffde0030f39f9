#pragma once

// Nodes: what a module's syntax tree (ast.h) is made of below its items: types, expressions,
// clauses, statements. They name each other by index.
//
// Lifetime: names and texts point into the module text.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "modules/lexer.h"
#include "modules/templates/escape.h"
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
  kRecord,  // { a: T, b: T }
  kList,    // list(T, N); ring, map and set alike
  kRing,
  kMap,  // map(K, T, N)
  kSet,
};

// A whole number as it is written, with its sign.
struct Number {
  bool negative = false;
  uint64_t magnitude = 0;
  uint32_t offset = 0;
};

struct ParameterNode {
  Name name;
  Index type = kNoIndex;
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
  std::vector<ParameterNode> fields;  // kRecord
  Index key = kNoIndex;               // kMap
  Index element = kNoIndex;           // kList to kSet; `high` is the most of them
};

enum class ExprKind : uint8_t {
  kBroken,  // reported by the parser
  kInt,
  kDuration,
  kText,
  kBool,
  kNone,
  kName,
  kUnary,   // first; op is kMinus, or kWord for `not`
  kBinary,  // first, second
  kIf,      // if first then second else third
  kCall,    // name(first, its next, ...)
  kMethod,  // second.name(first, its next, ...); of a test
  kSlice,   // first[second..third]; second, third: kNoIndex where it is open
  kField,   // first.text
  kIndex,   // first[second]
  kRecord,  // { text: first, ... }: first is a kEntry, and its next
  kEntry,   // text: first, of a record
  kList,    // [first, its next, ...]
  kElse,    // (first else second): first, or second where it is absent
  kEach,  // a clause that makes one value: fold, clause; first: what is gathered, where it is named
};

// What becomes of the elements that a clause gives.
enum class Fold : uint8_t {
  kList,   // [ first for ... ]
  kFirst,  // first e in ...: the first one, or none
  kCount,  // count e in ...
  kAny,    // any e in ... if ...
  kAll,    // all e in ... if ...: there is none for which the condition does not hold
  kSum,    // sum first for e in ...
  kMin,    // min first for e in ...: the least, or none
  kMax,
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
  kHas,  // of a test: an answer has a text in it
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
  uint64_t number = 0;    // kInt: magnitude; kBool: 0 or 1; kDuration: milliseconds
  Bytes text;             // kText, kName, kCall, kMethod, kField, kEntry
  Fold fold = Fold::kList;
  Index clause = kNoIndex;  // kEach
};

// for first, second in source if filter by order down skip n take n
struct ClauseNode {
  Name first;
  Name second;  // may be empty; then `first` is the element, else the index or the map's key
  uint32_t offset = 0;
  Index source = kNoIndex;
  Index filter = kNoIndex;
  Index order = kNoIndex;
  bool down = false;
  Index skip = kNoIndex;
  Index take = kNoIndex;
  Index key = kNoIndex;  // what tells rows of a live view apart
};

enum class StmtKind : uint8_t {
  kBroken,   // reported by the parser
  kLet,      // let name = expr [else alternative]
  kAssign,   // place = expr
  kRequire,  // require expr else alternative
  kIf,       // if expr body else other
  kReply,    // reply expr [else alternative]
  kFor,      // clause body
  kChange,   // change clause body [else alternative]
  kDrop,     // drop clause
  kCall,     // place.name(expr, its next, ...)
  kSee,      // see expr
  kText,     // of a template: static text, from offset on
  kHole,     // of a template: {expr:name}
  kRun,      // of a test: expr, a call that must go well
  kExpect,   // of a test: expect expr, or, with a name, expect expr fault name
};

struct Stmt {
  StmtKind kind = StmtKind::kBroken;
  uint32_t offset = 0;
  Name name;
  Index place = kNoIndex;   // kAssign, kCall: names, fields and elements
  Index clause = kNoIndex;  // kFor, kChange, kDrop
  Index expr = kNoIndex;
  Index alternative = kNoIndex;  // a name of a fault, or a value
  Index body = kNoIndex;         // first statement
  Index other = kNoIndex;        // first statement of the else part
  bool has_other = false;
  Escape escape = Escape::kPlain;  // kHole
  Index next = kNoIndex;           // in its block
};

}  // namespace pure::modules
