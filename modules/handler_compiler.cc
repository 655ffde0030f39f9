#include "modules/handler_compiler.h"

#include <algorithm>
#include <utility>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "modules/json.h"
#include "modules/limits.h"
#include "modules/value_use.h"

namespace pure::modules {
namespace {

constexpr size_t kInstructionsMax = 65535;  // a jump names one in 16 bits

}  // namespace

void HandlerCompiler::Start(PlanHandler* plan, uint16_t slots) {
  plan_ = plan;
  next_temporary_ = slots;
  plan->registers = slots;
}

void HandlerCompiler::Compile(const CheckedHandler& handler, PlanHandler* plan) {
  const bool message = handler.node->kind == HandlerKind::kMessage;
  Start(plan, handler.slot_count);
  plan->is_show = handler.is_show;
  plan->writes = handler.writes;
  plan->reply_bytes_max = handler.reply_bytes_max;
  plan->content_type = handler.content_type;
  plan->see = handler.see;
  std::copy(std::begin(handler.builtin_faults), std::end(handler.builtin_faults),
            plan->builtin_faults);
  uint64_t decode_steps = 0;
  for (const CheckedParameter& parameter : handler.parameters) {
    plan->parameters.push_back({parameter.name, parameter.type});
    decode_steps += OctetSteps(parameter.type);
  }
  if (message && plan->parameters.size() == 1) {
    const Type& only = plan->parameters[0].type;
    plan->takes_raw =
        !only.option && (only.kind == TypeKind::kText || only.kind == TypeKind::kBytes);
  }
  CompileBlock(handler.node->body);
  const bool page = handler.node->is_template;
  Emit(page ? Op::kReplyPage : Op::kReplyNone, 0, 0, 0,
       1 + (page ? static_cast<uint64_t>(plan->reply_bytes_max) / kBytesPerStep : 0));
  if (message) plan->value_use = FindValueUse(plan->code, plan->registers);
  plan->steps_max = decode_steps;
  Finish(handler.node->name, message ? "message" : "event");
}

// state = its first value, or one without elements, or none.
void HandlerCompiler::CompileFirst(uint16_t state, PlanHandler* plan) {
  const CheckedState& checked = checked_.states[state];
  Start(plan, checked.slot_count);
  const uint16_t value = NewTemporary();
  if (checked.expr != kNoIndex) {
    IntoAs(checked.expr, checked.type, value);
  } else {
    Emit(checked.type.is_collection() ? Op::kSequence : Op::kNone, value, 0, 0, 1);
  }
  StoreState(state, value);
  Emit(Op::kReplyNone, 0, 0, 0, 1);
  Finish(ast_.states[state].name, "state");
}

void HandlerCompiler::CompileArguments(const CheckedStep& step, const CheckedCall& call,
                                       PlanHandler* plan, uint16_t* first) {
  Start(plan, step.slot_count);
  *first = next_temporary_;
  for (size_t i = 0; i < call.arguments.size(); ++i) (void)NewTemporary();
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    const auto target = static_cast<uint16_t>(*first + i);
    if (call.arguments[i] == kNoIndex) {
      Emit(Op::kNone, target, 0, 0, 1);
    } else {
      Into(call.arguments[i], target);
    }
  }
  Emit(Op::kReplyNone, 0, 0, 0, 1);
  Finish({Bytes(), step.stmt->offset}, "statement");
}

void HandlerCompiler::CompileCondition(const CheckedStep& step, PlanHandler* plan) {
  Start(plan, step.slot_count);
  Emit(Op::kReplyBool, Value(step.stmt->expr), 0, 0, 1);
  Finish({Bytes(), step.stmt->offset}, "statement");
}

void HandlerCompiler::Finish(const Name& name, Bytes what) {
  for (std::vector<uint16_t>* list : {&plan_->raised_faults, &plan_->reads, &plan_->stores}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  plan_->steps_max = std::min(kStepsBeyond, plan_->steps_max + LongestPath());
  if (too_large_) {
    diagnostics_.Add(name.offset, absl::StrCat("this ", what, " is too long"),
                     absl::StrCat("at most ", kInstructionsMax, " instructions and constants"));
  } else if (plan_->steps_max > kStepsMax) {
    const bool beyond = plan_->steps_max == kStepsBeyond;
    diagnostics_.Add(name.offset,
                     absl::StrCat("this ", what, " may take ", beyond ? "more than " : "",
                                  plan_->steps_max, " steps"),
                     absl::StrCat("at most ", kStepsMax, "; narrow the sizes that it works on",
                                  clauses_max_ > 0 ? ", or take fewer elements" : ""));
  }
}

// The greatest sum of steps over all paths. Steps are counted as often as they may run, so that it
// is enough to go around each clause once; one pass from the end.
uint64_t HandlerCompiler::LongestPath() const {
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
      case Op::kNext:  // what is behind the clause follows its last round
        after += rest[instruction.c];
        break;
      case Op::kBack:
      case Op::kLeave:
      case Op::kFault:
      case Op::kReplyNone:
      case Op::kReplyRaw:
      case Op::kReplyInt:
      case Op::kReplyBool:
      case Op::kReplyText:
      case Op::kReplyCase:
      case Op::kReplyJson:
      case Op::kReplyPage:
      case Op::kReplySee:
        after = 0;
        break;
      default:
        break;
    }
    rest[i] = std::min(kStepsBeyond, steps_[i] + after);
  }
  return rest[0];
}

size_t HandlerCompiler::Emit(Op op, uint16_t a, uint16_t b, uint16_t c, uint64_t steps,
                             uint16_t d) {
  if (plan_->code.size() == kInstructionsMax) {
    too_large_ = true;
    return 0;
  }
  plan_->code.push_back({op, a, b, c, d});
  const absl::uint128 all = absl::uint128(steps) * around_;
  steps_.push_back(static_cast<uint64_t>(std::min<absl::uint128>(all, kStepsBeyond)));
  return plan_->code.size() - 1;
}

// The jump goes to the next instruction.
void HandlerCompiler::Land(size_t jump) {
  plan_->code[jump].c = static_cast<uint16_t>(plan_->code.size());
}

uint16_t HandlerCompiler::NewTemporary() {
  const uint16_t temporary = next_temporary_++;
  plan_->registers = std::max(plan_->registers, next_temporary_);
  return temporary;
}

uint16_t HandlerCompiler::Number(int64_t value) {
  uint16_t index = 0;
  too_large_ |= !pools_.numbers.Add(value, &index);
  return index;
}

uint16_t HandlerCompiler::Text(const std::string& value) {
  uint16_t index = 0;
  too_large_ |= !pools_.texts.Add(value, &index);
  return index;
}

uint16_t HandlerCompiler::LayoutOf(const Layout& layout) {
  uint16_t index = 0;
  too_large_ |= !pools_.layouts.Add(layout, &index);
  return index;
}

uint16_t HandlerCompiler::RecordLayout(const Type& record) {
  Layout layout;
  for (const FieldType& field : checked_.shapes.fields(record)) {
    layout.push_back(!field.type.is_number());
  }
  return LayoutOf(layout);
}

void HandlerCompiler::Raise(BuiltinFault fault) {
  RaiseNumber(plan_->builtin_faults[static_cast<size_t>(fault)]);
}

void HandlerCompiler::RaiseNumber(uint16_t fault) { plan_->raised_faults.push_back(fault); }

void HandlerCompiler::CompileBlock(Index first) {
  for (Index index = first; index != kNoIndex; index = ast_.stmts[index].next) {
    const uint16_t temporaries = next_temporary_;
    CompileStatement(index);
    next_temporary_ = temporaries;
  }
}

void HandlerCompiler::CompileStatement(Index index) {
  const Stmt& stmt = ast_.stmts[index];
  switch (stmt.kind) {
    case StmtKind::kBroken:
      return;
    case StmtKind::kLet:
      return CompileOpened(stmt, checked_.stmt_slots[index]);
    case StmtKind::kAssign:
      return CompileAssign(index);
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
    case StmtKind::kFor:
      return CompileFor(stmt);
    case StmtKind::kChange:
      return CompileChange(stmt);
    case StmtKind::kDrop:
      return CompileDrop(stmt);
    case StmtKind::kCall:
      return CompileMethod(stmt);
    case StmtKind::kSee:
      Emit(Op::kReplySee, Value(stmt.expr), 0, 0, 1);
      return;
    case StmtKind::kText:
      Emit(Op::kEmitText, 0, Text(std::string(stmt.name.text)), 0, 1);
      return;
    case StmtKind::kHole:
      return CompileHole(stmt);
    case StmtKind::kRun:
    case StmtKind::kExpect:
      return;  // of tests alone
  }
}

void HandlerCompiler::CompileFault(Index alternative) {
  const uint16_t fault = checked_.exprs[alternative].number;
  RaiseNumber(fault);
  Emit(Op::kFault, 0, fault, 0, 1);
}

// target = expr, or what its `else` says when it is absent.
void HandlerCompiler::CompileOpened(const Stmt& stmt, uint16_t target) {
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

// value = expr
void HandlerCompiler::AssignValue(const Stmt& stmt) {
  const uint16_t value = Value(stmt.expr);
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

void HandlerCompiler::CompileReply(const Stmt& stmt) {
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
  const bool raw = plan_->is_show || !plan_->content_type.empty();
  if (plan_->content_type == kJsonType && type.kind != TypeKind::kNone) {
    pools_.types.push_back(type);
    too_large_ |= pools_.types.size() > kInstructionsMax;
    Emit(Op::kReplyJson, answer, static_cast<uint16_t>(pools_.types.size() - 1), 0, made_steps);
    return;
  }
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
      Emit(Op::kReplyCase, answer, type.shape, 0, 1);
      return;
    case TypeKind::kText:
    case TypeKind::kSlug:
      Emit(raw ? Op::kReplyRaw : Op::kReplyText, answer, 0, 0, made_steps);
      return;
    case TypeKind::kBytes:
      Emit(Op::kReplyRaw, answer, 0, 0, made_steps);
      return;
    default:
      pools_.types.push_back(type);
      too_large_ |= pools_.types.size() > kInstructionsMax;
      Emit(Op::kReplyJson, answer, static_cast<uint16_t>(pools_.types.size() - 1), 0, made_steps);
      return;
  }
}

}  // namespace pure::modules
