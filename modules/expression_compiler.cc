#include <algorithm>
#include <utility>

#include "modules/handler_compiler.h"
#include "modules/slice_bounds.h"

// The half of the handler compiler that compiles expressions.

namespace pure::modules {

// Steps of work on a value's octets.
uint64_t HandlerCompiler::OctetSteps(const Type& type) {
  return 1 + (type.is_octets() ? static_cast<uint64_t>(type.high) / kBytesPerStep : 0);
}

// The register that holds the expression's value: a name's own, or a new one.
uint16_t HandlerCompiler::Value(Index index) {
  const ExprNote& note = checked_.exprs[index];
  if (note.meaning == Meaning::kSlot) {
    plan_->reads_key |= slots_ == 0 && note.number == kKeySlot;
    plan_->reads_commit |= slots_ == 0 && note.number == kCommitSlot;
    plan_->reads_random |= slots_ == 0 && note.number == kRandomSlot;
    return static_cast<uint16_t>(slots_ + note.number);
  }
  const uint16_t target = NewTemporary();
  Into(index, target);
  return target;
}

// Emits what fills `target`, which nothing in the expression reads.
void HandlerCompiler::Into(Index index, uint16_t target) {
  const Expr& expr = ast_.exprs[index];
  const ExprNote& note = checked_.exprs[index];
  const uint16_t temporaries = next_temporary_;
  if (note.meaning == Meaning::kSlot) {
    Emit(Op::kMove, target, Value(index), 0, 1);
    return;
  }
  switch (expr.kind) {
    case ExprKind::kBroken:
      break;
    case ExprKind::kInt:
      Emit(Op::kInt, target, Number(note.known.type.low), 0, 1);
      break;
    case ExprKind::kBool:
    case ExprKind::kDuration:
      Emit(Op::kInt, target, Number(static_cast<int64_t>(expr.number)), 0, 1);
      break;
    case ExprKind::kText:
      Emit(Op::kText, target, Text(DecodeText(expr.text)), 0, 1);
      break;
    case ExprKind::kNone:
      Emit(Op::kNone, target, 0, 0, 1);
      break;
    case ExprKind::kName:
      if (note.meaning == Meaning::kCase) {
        Emit(Op::kInt, target, Number(note.number), 0, 1);
      } else if (note.meaning == Meaning::kState) {
        LoadState(note.number, target);
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
    case ExprKind::kCall:
      CallInto(index, target);
      break;
    case ExprKind::kEntry:   // of a record, or refused
    case ExprKind::kMethod:  // of a test, and a slot
      break;
    case ExprKind::kSlice:
      SliceInto(index, target);
      break;
    case ExprKind::kField:
      FieldInto(index, target);
      break;
    case ExprKind::kIndex:
      IndexInto(index, target);
      break;
    case ExprKind::kRecord:
      RecordInto(index, target);
      break;
    case ExprKind::kList:
      ListInto(index, target);
      break;
    case ExprKind::kElse:
      ElseInto(index, target);
      break;
    case ExprKind::kEach:
      EachInto(index, target);
      break;
  }
  next_temporary_ = temporaries;
}

void HandlerCompiler::UnaryInto(Index index, uint16_t target) {
  const Expr& expr = ast_.exprs[index];
  if (expr.op == Operator::kNot) {
    Emit(Op::kNot, target, Value(expr.first), 0, 1);
  } else if (ast_.exprs[expr.first].kind == ExprKind::kInt) {
    Emit(Op::kInt, target, Number(known(index).type.low), 0, 1);
  } else {
    Emit(Op::kNegate, target, Value(expr.first), 0, 1);
    const Type& type = known(expr.first).type;
    if (type.kind == TypeKind::kSpan || type.low == AnyIntType().low) {
      Raise(BuiltinFault::kOverflow);
    }
  }
}

void HandlerCompiler::BinaryInto(Index index, uint16_t target) {
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
    case Operator::kHas:
      op = Op::kHas;
      break;
    default:
      return ComparisonInto(index, target);
  }
  const uint16_t a = Value(expr.first);
  const uint16_t b = Value(expr.second);
  if (op == Op::kHas) {
    Emit(Op::kHas, target, a, b, OctetSteps(known(expr.first).type));
    return;
  }
  if (type.is_octets()) {
    Emit(Op::kJoin, target, a, b, 1 + uint64_t{known(index).parts});
    return;
  }
  Emit(op, target, a, b, 1);
  const Type& divisor = known(expr.second).type;
  if (op == Op::kDivide || op == Op::kModulo) {
    if (divisor.kind == TypeKind::kSpan || (divisor.low <= 0 && divisor.high >= 0)) {
      Raise(BuiltinFault::kDivide);
    }
  }
  // The bounds are cut off at 64 bits, so a result that reaches them may have gone beyond.
  const Type any = AnyIntType();
  const bool time = type.kind != TypeKind::kInt;
  if (op != Op::kModulo && (time || type.low == any.low || type.high == any.high)) {
    Raise(BuiltinFault::kOverflow);
  }
}

// The second side runs only when the first does not decide.
void HandlerCompiler::LogicInto(Index index, uint16_t target) {
  const Expr& expr = ast_.exprs[index];
  Into(expr.first, target);
  const Op decides = expr.op == Operator::kAnd ? Op::kJumpIfFalse : Op::kJumpIfTrue;
  const size_t over = Emit(decides, target, 0, 0, 1);
  Into(expr.second, target);
  Land(over);
}

void HandlerCompiler::ComparisonInto(Index index, uint16_t target) {
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
void HandlerCompiler::PresenceInto(Index index, uint16_t target) {
  const Expr& expr = ast_.exprs[index];
  const Index tested = known(expr.first).type.kind == TypeKind::kNone ? expr.second : expr.first;
  const uint16_t value = Value(tested);
  Emit(Op::kPresent, target, value, 0, 1);
  if (expr.op == Operator::kEqual) Emit(Op::kNot, target, target, 0, 1);
}

void HandlerCompiler::IfInto(Index index, uint16_t target) {
  const Expr& expr = ast_.exprs[index];
  const size_t over = Emit(Op::kJumpIfFalse, Value(expr.first), 0, 0, 1);
  Into(expr.second, target);
  const size_t end = Emit(Op::kJump, 0, 0, 0, 1);
  Land(over);
  Into(expr.third, target);
  Land(end);
}

// first[second..third]: the end is cut off before the start, so both count from the value's start.
void HandlerCompiler::SliceInto(Index index, uint16_t target) {
  const Expr& expr = ast_.exprs[index];
  const Type& type = known(expr.first).type;
  const bool is_text = type.kind == TypeKind::kText;
  const uint64_t steps = 1 + uint64_t{known(index).parts};
  uint16_t value = Value(expr.first);
  const Type* from_type = nullptr;
  const Type* to_type = nullptr;
  uint16_t from = 0, to = 0;
  if (expr.second != kNoIndex) {
    from = Value(expr.second);
    from_type = &known(expr.second).type;
  }
  if (expr.third != kNoIndex) {
    to = Value(expr.third);
    to_type = &known(expr.third).type;
  }
  const auto cut = [&](Op op, uint16_t at) {
    if (is_text) Emit(Op::kCheckCut, value, at, 0, steps);
    Emit(op, target, value, at, steps);
    value = target;
  };
  if (to_type != nullptr) cut(Op::kFirst, to);
  if (from_type != nullptr) cut(Op::kRest, from);
  if (value != target) {
    Emit(Op::kMove, target, value, 0, 1);
  } else if (is_text || !BoundsOfSlice(type, from_type, to_type).always) {
    Raise(BuiltinFault::kRange);
  }
}

}  // namespace pure::modules
