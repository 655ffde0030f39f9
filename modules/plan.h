#pragma once

// Plan: a module as it runs: for each handler a run of small instructions over registers. Jumps go
// forward, but for the ends of clauses, which go around as often as there are elements: so every
// handler ends, and its longest path is known. Immutable once made.
//
// Records are rows (rows/row.h) in one piece, and what a collection holds are rows too: a record
// that is always there as it is, anything else as the one field of a row; in a map the key and the
// value as two.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "modules/faults.h"
#include "modules/info.h"
#include "modules/types.h"
#include "runtime/bytes.h"

namespace pure::modules {

enum class Op : uint8_t {
  // a: the register that is filled; b, c: registers that are read, unless said otherwise.
  kInt,   // a = number b of the pool
  kText,  // a = text b of the pool
  kNone,  // a = none
  kMove,  // a = b
  kAdd,   // numbers, with the fault `overflow`
  kSubtract,
  kMultiply,
  kDivide,  // also `divide`
  kModulo,
  kNegate,  // a = -b
  kJoin,    // a = b followed by c
  kFirst,   // a = the first c bytes of b, with the fault `range`; none of none
  kRest,    // a = b without them
  kSize,    // a = bytes of b
  kNot,
  kIntEqual,
  kIntLess,
  kIntLessEqual,
  kOctetsEqual,
  kOctetsLess,
  kOctetsLessEqual,
  kHas,      // a = c stands in b
  kPresent,  // a = b is not none
  kIntMin,
  kIntMax,
  // Records.
  kField,     // a = field c of the row b; d: 1 for octets, 0 for a number
  kMakeRow,   // a = a row of the registers from b on, which layout c says
  kSetField,  // the row a has b as its field c, layout d
  // Collections; they are values: what was read before stays as it was.
  kSequence,  // a = one without elements
  kCount,     // a = elements of b
  kAt,        // a = row c of b, or none
  kFindRow,   // a = the row of b whose first field is c, or none; d as of kField
  kPush,      // a has the row b at its end; number c of the pool at most, else `full`, or, with d,
              // the first one goes
  kPutRow,    // a has the row b in the place that its first field gives; c: at most; d as of kField
  kSetAt,     // row b of a becomes c
  kRemoveAt,  // a has no row b any more
  kDropMarked,  // a has no rows any more that clause b marked
  kRemoveKey,   // a has no row any more whose first field is b; d as of kField
  kCheckCount,  // a has at most number c of the pool elements, else `full`
  // States.
  kState,          // a = the collection that state b is
  kStoreState,     // state b becomes the collection a
  kStateRow,       // a = the one row of state b
  kStoreStateRow,  // state b becomes the row a
  // Clauses; a: which of those that are open.
  kEach,     // it begins to go over b
  kLimit,    // it skips b and takes c of what it gives; kNoRegister: no such limit
  kNext,     // b = its next row, d, if it is one, the index; without a next one, jump to c
  kCollect,  // the row at hand is to be sorted by the key b; d as of kField
  kSort,     // it begins again, in the order of the keys; b: 1 for descending
  kPass,     // jump to c while it skips, to d when it has taken enough
  kMark,     // the row at hand is to go
  kBack,     // jump back to c
  kLeave,    // jump out of it, to c
  // Texts of views.
  kEmitText,  // text b of the pool
  kEmit,      // a, as Emission b, escaped as Escape c; d: the shape of a choice
  // Jumps to instruction c.
  kJump,
  kJumpIfFalse,    // a is false
  kJumpIfTrue,     // a is true
  kJumpIfPresent,  // a is not none
  // Ends.
  kFault,  // with the module's fault b
  kReplyNone,
  kReplyRaw,  // the octets of a; a stored value as it stands is lent
  kReplyInt,  // a as JSON
  kReplyBool,
  kReplyText,
  kReplyCase,  // the case a of the choice b as JSON
  kReplyJson,  // a, of type b of the pool, as JSON
  kReplyPage,  // what was emitted
  kReplySee,   // nothing, and the client goes on to a
  // Other.
  kCheckSize,    // a, when there: at least number b of the pool bytes, else `type`, and at most
                 // number c, else `full`
  kCheckInt,     // a, when there: number b to c of the pool, else `overflow`
  kCheckCut,     // a, when there, has a character that starts or ends at byte b, else `range`
  kAssignValue,  // the document's value becomes a
};

inline constexpr uint16_t kNoRegister = 0xFFFF;

struct Instruction {
  Op op = Op::kReplyNone;
  uint16_t a = 0;
  uint16_t b = 0;
  uint16_t c = 0;
  uint16_t d = 0;
};

// For each field of a row: whether it is octets, else a number.
using Layout = std::vector<bool>;

// What a hole of a template shows.
enum class Emission : uint8_t { kOctets, kInt, kBool, kCase, kTime, kDate, kClock, kSpan };

// What a message does with the octets of the stored value, each more than the one before.
enum class ValueUse : uint8_t {
  kNone,   // at most asks whether there is one: it is not lent
  kStage,  // joins, measures and assigns them, unseen: lent unchecked
  kLook,   // compares them or answers with them: lent when they are sound
};

struct PlanParameter {
  std::string name;
  Type type;
};

// A message, an input, a view, or what a state is at first.
struct PlanHandler {
  std::vector<PlanParameter> parameters;
  std::vector<Instruction> code;
  uint16_t registers = 0;
  bool is_show = false;
  bool takes_raw = false;  // its one parameter is text or bytes: a raw payload is that
  ValueUse value_use = ValueUse::kNone;
  bool reads_key = false;
  bool writes = false;
  bool reads_commit = false;  // by its name
  bool reads_random = false;
  uint16_t builtin_faults[kBuiltinFaultCount] = {};
  std::string content_type;      // of a view
  std::string see;               // where an input leads that says nothing else; may be empty
  std::vector<uint16_t> reads;   // states, ascending
  std::vector<uint16_t> stores;  // states, ascending
  // Worst cases.
  uint64_t steps_max = 0;
  int64_t save_bytes_max = 0;
  int64_t reply_bytes_max = 0;          // of answers that are made, not lent
  std::vector<uint16_t> raised_faults;  // of the module's, ascending
};

struct PlanState {
  std::string name;
  Type type;
  Layout layout;  // of its rows
  PlanHandler first;
};

// A call of a test: its arguments are what `arguments` leaves in the registers from `first` on.
struct PlanCall {
  enum class Target : uint8_t { kHandler, kMessage, kRevision };
  Target target = Target::kHandler;
  uint16_t index = 0;
  PlanHandler arguments;
  uint16_t first = 0;
  uint16_t count = 0;
  uint16_t slot = 0;  // of `condition`, where its answer is put
};

struct PlanStep {
  uint32_t offset = 0;  // of the statement in the text
  std::vector<PlanCall> calls;
  bool has_condition = false;
  PlanHandler condition;  // replies true or false
  std::string fault;      // that the last call is to end with; may be empty
};

struct PlanTest {
  std::string name;
  std::vector<PlanStep> steps;
};

struct Plan {
  std::string module_name;
  int64_t version = 0;
  std::string hash;  // SHA-256 of the text, hexadecimal

  std::string document_name;
  Type key_type;
  Type document_type;
  std::string content_type;
  std::vector<PlanHandler> messages;
  std::vector<MessageInfo> message_infos;  // the same messages
  std::vector<PlanState> states;
  std::vector<PlanHandler> handlers;       // inputs and views
  std::vector<HandlerInfo> handler_infos;  // the same
  std::vector<FaultInfo> faults;
  std::vector<PlanTest> tests;

  std::vector<int64_t> numbers;    // the pool
  std::vector<std::string> texts;  // the pool
  std::vector<Bytes> text_spans;   // of the texts, once they stand still
  std::vector<Layout> layouts;     // the pool
  std::vector<Type> types;         // the pool
  Shapes shapes;
  uint16_t registers_max = 0;  // of any handler
  uint16_t clauses_max = 0;    // that are open at once
};

// Steps that one instruction may take; work on octets counts one step for each 64 of them.
inline constexpr uint64_t kBytesPerStep = 64;

}  // namespace pure::modules
