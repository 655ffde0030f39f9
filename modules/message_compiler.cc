#include "modules/message_compiler.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "modules/limits.h"
#include "modules/value_use.h"

namespace pure::modules {
namespace {

constexpr size_t kInstructionsMax = 65535;  // a jump names one in 16 bits

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

}  // namespace pure::modules
