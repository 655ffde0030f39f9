#pragma once

// Plan: a module as it runs: for each message a run of small instructions over registers. Jumps go
// forward only, so every message ends, and its longest path is known. Immutable once made.

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
  kPresent,  // a = b is not none
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
  // Other.
  kCheckSize,    // a, when there: at least number b of the pool bytes, else `type`, and at most
                 // number c, else `full`
  kCheckCut,     // a, when there, has a character that starts or ends at byte b, else `range`
  kAssignValue,  // the document's value becomes a
};

struct Instruction {
  Op op = Op::kReplyNone;
  uint16_t a = 0;
  uint16_t b = 0;
  uint16_t c = 0;
};

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

struct PlanMessage {
  std::vector<PlanParameter> parameters;
  std::vector<Instruction> code;
  uint16_t registers = 0;
  bool is_show = false;
  bool takes_raw = false;  // its one parameter is text or bytes: a raw payload is that
  ValueUse value_use = ValueUse::kNone;
  bool reads_key = false;
  bool writes = false;
  uint16_t builtin_faults[kBuiltinFaultCount] = {};
  // Worst cases.
  uint64_t steps_max = 0;
  int64_t save_bytes_max = 0;
  int64_t reply_bytes_max = 0;          // of answers that are made, not lent
  std::vector<uint16_t> raised_faults;  // of the module's, ascending
};

struct Plan {
  std::string module_name;
  int64_t version = 0;
  std::string hash;  // SHA-256 of the text, hexadecimal

  std::string document_name;
  Type key_type;
  Type document_type;
  std::string content_type;
  std::vector<PlanMessage> messages;
  std::vector<MessageInfo> message_infos;  // the same messages
  std::vector<FaultInfo> faults;

  std::vector<int64_t> numbers;    // the pool
  std::vector<std::string> texts;  // the pool
  std::vector<Bytes> text_spans;   // of the texts, once they stand still
  ChoiceTable choices;
  uint16_t registers_max = 0;  // of any message
};

// Steps that one instruction may take; work on octets counts one step for each 64 of them.
inline constexpr uint64_t kBytesPerStep = 64;

}  // namespace pure::modules
