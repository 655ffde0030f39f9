#include "modules/message_compiler.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "modules/limits.h"
#include "modules/value_use.h"

namespace pure::modules {
namespace {

constexpr size_t kInstructionsMax = 65535;  // a jump names one in 16 bits

// Steps of work on a value's octets.
uint64_t OctetSteps(const Type& type) {
  return 1 + (type.is_octets() ? static_cast<uint64_t>(type.high) / kBytesPerStep : 0);
}

}  // namespace

void MessageCompiler::Compile(const CheckedMessage& message, PlanMessage* plan) {
  plan_ = plan;
  next_temporary_ = message.slot_count;
  plan->registers = message.slot_count;
  plan->is_show = message.is_show;
  plan->writes = message.writes;
  plan->reply_bytes_max = message.reply_bytes_max;
  std::copy(std::begin(message.builtin_faults), std::end(message.builtin_faults),
            plan->builtin_faults);
  uint64_t decode_steps = 0;
  for (const CheckedParameter& parameter : message.parameters) {
    plan->parameters.push_back({parameter.name, parameter.type});
    decode_steps += OctetSteps(parameter.type);
  }
  if (plan->parameters.size() == 1) {
    const Type& only = plan->parameters[0].type;
    plan->takes_raw =
        !only.option && (only.kind == TypeKind::kText || only.kind == TypeKind::kBytes);
  }
  CompileBlock(message.node->body);
  Emit(Op::kReplyNone, 0, 0, 0, 1);
  plan->value_use = FindValueUse(plan->code, plan->registers);
  std::sort(plan->raised_faults.begin(), plan->raised_faults.end());
  plan->steps_max = decode_steps + LongestPath();
  if (too_large_) {
    diagnostics_.Add(message.node->name.offset, "this message is too long",
                     absl::StrCat("at most ", kInstructionsMax, " instructions and constants"));
  } else if (plan->steps_max > kStepsMax) {
    diagnostics_.Add(message.node->name.offset,
                     absl::StrCat("this message may take ", plan->steps_max, " steps"),
                     absl::StrCat("at most ", kStepsMax, "; narrow the sizes that it works on"));
  }
}

// The greatest sum of steps over all paths. Jumps go forward, so one pass from the end is enough.
uint64_t MessageCompiler::LongestPath() const {
  std::vector<uint64_t> rest(plan_->code.size() + 1, 0);
  for (size_t i = plan_->code.size(); i-- > 0;) {
    const Instruction& instruction = plan_->code[i];
    uint64_t after = rest[i + 1];
    switch (instruction.op) {
      case Op::kJump:
        after = rest[instruction.c];
        break;
      case Op::kJumpIfFalse:
      case Op::kJumpIfTrue:
      case Op::kJumpIfPresent:
        after = std::max(after, rest[instruction.c]);
        break;
      case Op::kFault:
      case Op::kReplyNone:
      case Op::kReplyRaw:
      case Op::kReplyInt:
      case Op::kReplyBool:
      case Op::kReplyText:
      case Op::kReplyCase:
        after = 0;
        break;
      default:
        break;
    }
    rest[i] = steps_[i] + after;
  }
  return rest[0];
}

size_t MessageCompiler::Emit(Op op, uint16_t a, uint16_t b, uint16_t c, uint64_t steps) {
  if (plan_->code.size() == kInstructionsMax) {
    too_large_ = true;
    return 0;
  }
  plan_->code.push_back({op, a, b, c});
  steps_.push_back(steps);
  return plan_->code.size() - 1;
}

// The jump goes to the next instruction.
void MessageCompiler::Land(size_t jump) {
  plan_->code[jump].c = static_cast<uint16_t>(plan_->code.size());
}

uint16_t MessageCompiler::NewTemporary() {
  const uint16_t temporary = next_temporary_++;
  plan_->registers = std::max(plan_->registers, next_temporary_);
  return temporary;
}

uint16_t MessageCompiler::Number(int64_t value) {
  uint16_t index = 0;
  too_large_ |= !numbers_.Add(value, &index);
  return index;
}

uint16_t MessageCompiler::Text(const std::string& value) {
  uint16_t index = 0;
  too_large_ |= !texts_.Add(value, &index);
  return index;
}

void MessageCompiler::Raise(BuiltinFault fault) {
  RaiseNumber(plan_->builtin_faults[static_cast<size_t>(fault)]);
}

void MessageCompiler::RaiseNumber(uint16_t fault) {
  std::vector<uint16_t>& raised = plan_->raised_faults;
  if (std::find(raised.begin(), raised.end(), fault) == raised.end()) raised.push_back(fault);
}

void MessageCompiler::CompileBlock(Index first) {
  for (Index index = first; index != kNoIndex; index = ast_.stmts[index].next) {
    const uint16_t temporaries = next_temporary_;
    CompileStatement(index);
    next_temporary_ = temporaries;
  }
}

void MessageCompiler::CompileStatement(Index index) {
  const Stmt& stmt = ast_.stmts[index];
  switch (stmt.kind) {
    case StmtKind::kBroken:
      return;
    case StmtKind::kLet:
      return CompileOpened(stmt, checked_.stmt_slots[index]);
    case StmtKind::kAssign:
      return CompileAssign(stmt, checked_.stmt_slots[index]);
    case StmtKind::kRequire: {
      const size_t over = Emit(Op::kJumpIfTrue, Value(stmt.expr), 0, 0, 1);
      CompileFault(stmt.alternative);
      return Land(over);
    }
    case StmtKind::kIf: {
      const size_t over = Emit(Op::kJumpIfFalse, Value(stmt.expr), 0, 0, 1);
      CompileBlock(stmt.body);
      if (!stmt.has_other) return Land(over);
      const size_t end = Emit(Op::kJump, 0, 0, 0, 1);
      Land(over);
      CompileBlock(stmt.other);
      return Land(end);
    }
    case StmtKind::kReply:
      return CompileReply(stmt);
  }
}

void MessageCompiler::CompileFault(Index alternative) {
  const uint16_t fault = checked_.exprs[alternative].number;
  RaiseNumber(fault);
  Emit(Op::kFault, 0, fault, 0, 1);
}

// target = expr, or what its `else` says when it is absent.
void MessageCompiler::CompileOpened(const Stmt& stmt, uint16_t target) {
  Into(stmt.expr, target);
  if (stmt.alternative == kNoIndex) return;
  const size_t over = Emit(Op::kJumpIfPresent, target, 0, 0, 1);
  if (checked_.exprs[stmt.alternative].meaning == Meaning::kFault) {
    CompileFault(stmt.alternative);
  } else {
    Into(stmt.alternative, target);
  }
  Land(over);
}

void MessageCompiler::CompileAssign(const Stmt& stmt, uint16_t slot) {
  const uint16_t value = Value(stmt.expr);
  if (slot != kValueSlot) {
    Emit(Op::kMove, slot, value, 0, 1);
    return;
  }
  const Type& type = known(stmt.expr).type;
  const Type& wanted = checked_.document.type;
  if (type.is_octets()) {
    if (type.low < wanted.low || type.high > wanted.high) {
      Emit(Op::kCheckSize, value, Number(wanted.low), Number(wanted.high), 1);
      if (type.low < wanted.low) Raise(BuiltinFault::kType);
      if (type.high > wanted.high) Raise(BuiltinFault::kFull);
    }
    plan_->save_bytes_max = std::max(plan_->save_bytes_max, std::min(type.high, wanted.high));
  }
  Emit(Op::kAssignValue, value, 0, 0, 1 + known(stmt.expr).parts);
}

void MessageCompiler::CompileReply(const Stmt& stmt) {
  uint16_t answer = 0;
  Type type = known(stmt.expr).type;
  if (stmt.alternative == kNoIndex) {
    answer = Value(stmt.expr);
  } else if (checked_.exprs[stmt.alternative].meaning == Meaning::kFault) {
    answer = Value(stmt.expr);  // a stored value stays in its place, so that it can be lent
    const size_t over = Emit(Op::kJumpIfPresent, answer, 0, 0, 1);
    CompileFault(stmt.alternative);
    Land(over);
  } else {
    answer = NewTemporary();
    CompileOpened(stmt, answer);
    Type opened = type;
    opened.option = false;
    (void)Join(opened, known(stmt.alternative).type, &type);
  }
  const uint64_t made_steps = 1 + static_cast<uint64_t>(plan_->reply_bytes_max) / kBytesPerStep;
  switch (type.kind) {
    case TypeKind::kError:
    case TypeKind::kNone:
      Emit(Op::kReplyNone, 0, 0, 0, 1);
      return;
    case TypeKind::kBool:
      Emit(Op::kReplyBool, answer, 0, 0, 1);
      return;
    case TypeKind::kInt:
      Emit(Op::kReplyInt, answer, 0, 0, 1);
      return;
    case TypeKind::kChoice:
      Emit(Op::kReplyCase, answer, type.choice, 0, 1);
      return;
    case TypeKind::kText:
    case TypeKind::kSlug:
      Emit(plan_->is_show ? Op::kReplyRaw : Op::kReplyText, answer, 0, 0, made_steps);
      return;
    case TypeKind::kBytes:
      Emit(Op::kReplyRaw, answer, 0, 0, made_steps);
      return;
  }
}

// The register that holds the expression's value: a name's own, or a new one.
uint16_t MessageCompiler::Value(Index index) {
  const ExprNote& note = checked_.exprs[index];
  if (ast_.exprs[index].kind == ExprKind::kName && note.meaning == Meaning::kSlot) {
    plan_->reads_key |= note.number == kKeySlot;
    return note.number;
  }
  const uint16_t target = NewTemporary();
  Into(index, target);
  return target;
}

// Emits what fills `target`, which nothing in the expression reads.
void MessageCompiler::Into(Index index, uint16_t target) {
  const Expr& expr = ast_.exprs[index];
  const ExprNote& note = checked_.exprs[index];
  const uint16_t temporaries = next_temporary_;
  switch (expr.kind) {
    case ExprKind::kBroken:
      break;
    case ExprKind::kInt:
      Emit(Op::kInt, target, Number(note.known.type.low), 0, 1);
      break;
    case ExprKind::kText:
      Emit(Op::kText, target, Text(DecodeText(expr.text)), 0, 1);
      break;
    case ExprKind::kBool:
      Emit(Op::kInt, target, Number(static_cast<int64_t>(expr.number)), 0, 1);
      break;
    case ExprKind::kNone:
      Emit(Op::kNone, target, 0, 0, 1);
      break;
    case ExprKind::kName:
      if (note.meaning == Meaning::kCase) {
        Emit(Op::kInt, target, Number(note.number), 0, 1);
      } else {
        Emit(Op::kMove, target, Value(index), 0, 1);
      }
      break;
    case ExprKind::kUnary:
      UnaryInto(index, target);
      break;
    case ExprKind::kBinary:
      BinaryInto(index, target);
      break;
    case ExprKind::kIf:
      IfInto(index, target);
      break;
    case ExprKind::kCall:  // size
      Emit(Op::kSize, target, Value(expr.first), 0, 1);
      break;
  }
  next_temporary_ = temporaries;
}

void MessageCompiler::UnaryInto(Index index, uint16_t target) {
  const Expr& expr = ast_.exprs[index];
  if (expr.op == Operator::kNot) {
    Emit(Op::kNot, target, Value(expr.first), 0, 1);
  } else if (ast_.exprs[expr.first].kind == ExprKind::kInt) {
    Emit(Op::kInt, target, Number(known(index).type.low), 0, 1);
  } else {
    Emit(Op::kNegate, target, Value(expr.first), 0, 1);
    if (known(expr.first).type.low == AnyIntType().low) Raise(BuiltinFault::kOverflow);
  }
}

void MessageCompiler::BinaryInto(Index index, uint16_t target) {
  const Expr& expr = ast_.exprs[index];
  const Type& type = known(index).type;
  Op op = Op::kAdd;
  switch (expr.op) {
    case Operator::kAnd:
    case Operator::kOr:
      return LogicInto(index, target);
    case Operator::kAdd:
      break;
    case Operator::kSubtract:
      op = Op::kSubtract;
      break;
    case Operator::kMultiply:
      op = Op::kMultiply;
      break;
    case Operator::kDivide:
      op = Op::kDivide;
      break;
    case Operator::kModulo:
      op = Op::kModulo;
      break;
    default:
      return ComparisonInto(index, target);
  }
  const uint16_t a = Value(expr.first);
  const uint16_t b = Value(expr.second);
  if (type.is_octets()) {
    Emit(Op::kJoin, target, a, b, 1 + uint64_t{known(index).parts});
    return;
  }
  Emit(op, target, a, b, 1);
  const Type& divisor = known(expr.second).type;
  if (op == Op::kDivide || op == Op::kModulo) {
    if (divisor.low <= 0 && divisor.high >= 0) Raise(BuiltinFault::kDivide);
  }
  // The bounds are cut off at 64 bits, so a result that reaches them may have gone beyond.
  const Type any = AnyIntType();
  if (op != Op::kModulo && (type.low == any.low || type.high == any.high)) {
    Raise(BuiltinFault::kOverflow);
  }
}

// The second side runs only when the first does not decide.
void MessageCompiler::LogicInto(Index index, uint16_t target) {
  const Expr& expr = ast_.exprs[index];
  Into(expr.first, target);
  const Op decides = expr.op == Operator::kAnd ? Op::kJumpIfFalse : Op::kJumpIfTrue;
  const size_t over = Emit(decides, target, 0, 0, 1);
  Into(expr.second, target);
  Land(over);
}

void MessageCompiler::ComparisonInto(Index index, uint16_t target) {
  const Expr& expr = ast_.exprs[index];
  const Type& first = known(expr.first).type;
  const Type& second = known(expr.second).type;
  if (first.kind == TypeKind::kNone || second.kind == TypeKind::kNone) {
    return PresenceInto(index, target);
  }
  uint16_t a = Value(expr.first);
  uint16_t b = Value(expr.second);
  if (expr.op == Operator::kGreater || expr.op == Operator::kGreaterEqual) std::swap(a, b);
  const bool octets = first.is_octets();
  const uint64_t steps = octets ? std::min(OctetSteps(first), OctetSteps(second)) +
                                      known(expr.first).parts + known(expr.second).parts
                                : 1;
  switch (expr.op) {
    case Operator::kEqual:
    case Operator::kNotEqual:
      Emit(octets ? Op::kOctetsEqual : Op::kIntEqual, target, a, b, steps);
      break;
    case Operator::kLess:
    case Operator::kGreater:
      Emit(octets ? Op::kOctetsLess : Op::kIntLess, target, a, b, steps);
      break;
    default:
      Emit(octets ? Op::kOctetsLessEqual : Op::kIntLessEqual, target, a, b, steps);
      break;
  }
  if (expr.op == Operator::kNotEqual) Emit(Op::kNot, target, target, 0, 1);
}

// x == none, x != none
void MessageCompiler::PresenceInto(Index index, uint16_t target) {
  const Expr& expr = ast_.exprs[index];
  const Index tested = known(expr.first).type.kind == TypeKind::kNone ? expr.second : expr.first;
  const uint16_t value = Value(tested);
  Emit(Op::kPresent, target, value, 0, 1);
  if (expr.op == Operator::kEqual) Emit(Op::kNot, target, target, 0, 1);
}

void MessageCompiler::IfInto(Index index, uint16_t target) {
  const Expr& expr = ast_.exprs[index];
  const size_t over = Emit(Op::kJumpIfFalse, Value(expr.first), 0, 0, 1);
  Into(expr.second, target);
  const size_t end = Emit(Op::kJump, 0, 0, 0, 1);
  Land(over);
  Into(expr.third, target);
  Land(end);
}

}  // namespace pure::modules
