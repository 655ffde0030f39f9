#include "modules/machine.h"

#include <algorithm>
#include <limits>

#include "modules/scope.h"

namespace pure::modules {

Machine::Machine(const Plan* plan, Arena* arena)
    : plan_(*plan), arena_(*arena), registers_(plan->registers_max), clauses_(plan->clauses_max) {}

void Machine::Forget() { versions_.clear(); }

bool Machine::Jumps(const Instruction& instruction, const Register& tested) {
  switch (instruction.op) {
    case Op::kJump:
      return true;
    case Op::kJumpIfFalse:
      return tested.number == 0;
    case Op::kJumpIfTrue:
      return tested.number != 0;
    case Op::kJumpIfPresent:
      return tested.present;
    default:
      return false;
  }
}

Ending Machine::End(const PlanHandler& handler, Step step) const {
  Ending ending;
  ending.result = Result::kFault;
  const auto fault = [&handler](BuiltinFault builtin) {
    return handler.builtin_faults[static_cast<size_t>(builtin)];
  };
  switch (step) {
    case Step::kNext:
    case Step::kNoRoom:
      ending.result = arena_.at_limit() ? Result::kLimit : Result::kAllocation;
      break;
    case Step::kOverflow:
      ending.fault = fault(BuiltinFault::kOverflow);
      break;
    case Step::kDivide:
      ending.fault = fault(BuiltinFault::kDivide);
      break;
    case Step::kFull:
      ending.fault = fault(BuiltinFault::kFull);
      break;
    case Step::kType:
      ending.fault = fault(BuiltinFault::kType);
      break;
    case Step::kRange:
      ending.fault = fault(BuiltinFault::kRange);
      break;
  }
  return ending;
}

Ending Machine::Run(const PlanHandler& handler, uint64_t next_revision, absl::Span<Rows> states) {
  bool assigned = false;
  states_ = states;
  page_.clear();
  Step step = Step::kNext;
  for (const Instruction* next = handler.code.data();;) {
    const Instruction& instruction = *next++;
    switch (instruction.op) {
      case Op::kJump:
      case Op::kJumpIfFalse:
      case Op::kJumpIfTrue:
      case Op::kJumpIfPresent:
        if (Jumps(instruction, registers_[instruction.a])) {
          next = handler.code.data() + instruction.c;
        }
        break;
      case Op::kBack:
      case Op::kLeave:
        next = handler.code.data() + instruction.c;
        break;
      case Op::kNext:
        if (!Next(instruction, &step)) next = handler.code.data() + instruction.c;
        if (step != Step::kNext) return End(handler, step);
        break;
      case Op::kPass:
        if (clauses_[instruction.a].Skips()) {
          next = handler.code.data() + instruction.c;
        } else if (clauses_[instruction.a].HasEnough()) {
          next = handler.code.data() + instruction.d;
        }
        break;
      case Op::kAssignValue:
        registers_[kValueSlot] = registers_[instruction.a];
        registers_[kRevisionSlot].number = static_cast<int64_t>(next_revision);
        assigned = true;
        break;
      case Op::kFault: {
        Ending ending;
        ending.result = Result::kFault;
        ending.fault = instruction.b;
        return ending;
      }
      case Op::kReplyNone:
      case Op::kReplyRaw:
      case Op::kReplyInt:
      case Op::kReplyBool:
      case Op::kReplyText:
      case Op::kReplyCase:
      case Op::kReplyJson:
      case Op::kReplyPage:
      case Op::kReplySee: {
        Ending ending;
        ending.answer = instruction.op;
        ending.type = instruction.b;
        ending.value = &registers_[instruction.a];
        ending.assigned = assigned;
        return ending;
      }
      default: {
        step = Compute(instruction);
        if (step != Step::kNext) return End(handler, step);
        break;
      }
    }
  }
}

Machine::Step Machine::Compute(const Instruction& instruction) {
  Register& target = registers_[instruction.a];
  const auto b = [this, &instruction]() -> const Register& { return registers_[instruction.b]; };
  const auto c = [this, &instruction]() -> const Register& { return registers_[instruction.c]; };
  const auto checked = [](bool overflow) { return overflow ? Step::kOverflow : Step::kNext; };
  switch (instruction.op) {
    case Op::kMove:
      target = b();
      return Step::kNext;
    case Op::kPresent:
      target.number = b().present ? 1 : 0;
      break;
    case Op::kNone:
      target.present = false;
      return Step::kNext;
    case Op::kInt:
      target.number = plan_.numbers[instruction.b];
      break;
    case Op::kNot:
      target.number = b().number == 0 ? 1 : 0;
      break;
    case Op::kIntEqual:
      target.number = b().number == c().number ? 1 : 0;
      break;
    case Op::kIntLess:
      target.number = b().number < c().number ? 1 : 0;
      break;
    case Op::kIntLessEqual:
      target.number = b().number <= c().number ? 1 : 0;
      break;
    case Op::kAdd:
      target.present = true;
      return checked(__builtin_add_overflow(b().number, c().number, &target.number));
    case Op::kSubtract:
      target.present = true;
      return checked(__builtin_sub_overflow(b().number, c().number, &target.number));
    case Op::kMultiply:
      target.present = true;
      return checked(__builtin_mul_overflow(b().number, c().number, &target.number));
    case Op::kNegate:
      target.present = true;
      return checked(__builtin_sub_overflow(int64_t{0}, b().number, &target.number));
    case Op::kDivide:
    case Op::kModulo:
      return Divide(instruction);
    case Op::kIntMin:
      target.number = std::min(b().number, c().number);
      break;
    case Op::kIntMax:
      target.number = std::max(b().number, c().number);
      break;
    case Op::kCheckInt:
      return target.present && (target.number < plan_.numbers[instruction.b] ||
                                target.number > plan_.numbers[instruction.c])
                 ? Step::kOverflow
                 : Step::kNext;
    default:
      return ComputeOctets(instruction);
  }
  target.present = true;
  return Step::kNext;
}

// Rounds toward zero; the rest has the sign of the dividend.
Machine::Step Machine::Divide(const Instruction& instruction) {
  const int64_t dividend = registers_[instruction.b].number;
  const int64_t divisor = registers_[instruction.c].number;
  Register& target = registers_[instruction.a];
  if (divisor == 0) return Step::kDivide;
  const bool overflows = dividend == std::numeric_limits<int64_t>::min() && divisor == -1;
  target.present = true;
  if (instruction.op == Op::kModulo) {
    target.number = overflows ? 0 : dividend % divisor;
    return Step::kNext;
  }
  if (overflows) return Step::kOverflow;
  target.number = dividend / divisor;
  return Step::kNext;
}

Machine::Step Machine::Slice(const Instruction& instruction) {
  const Register value = registers_[instruction.b];  // may be the target
  Register& target = registers_[instruction.a];
  target.present = value.present;
  target.rows = nullptr;
  if (!value.present) return Step::kNext;
  const int64_t number = registers_[instruction.c].number;
  const size_t size_bytes = value.octets.size_bytes;
  if (number < 0 || static_cast<uint64_t>(number) > size_bytes) return Step::kRange;
  const auto at = static_cast<size_t>(number);
  const bool made = instruction.op == Op::kFirst
                        ? SliceOctets(value.octets, 0, at, &arena_, &target.octets)
                        : SliceOctets(value.octets, at, size_bytes - at, &arena_, &target.octets);
  return made ? Step::kNext : Step::kNoRoom;
}

// What is not in the text is left to the cut itself.
Machine::Step Machine::CheckCut(const Register& text, int64_t at) const {
  if (!text.present || at < 0 || static_cast<uint64_t>(at) >= text.octets.size_bytes) {
    return Step::kNext;
  }
  const char octet = OctetAt(text.octets, static_cast<size_t>(at));
  return (octet & 0xC0) == 0x80 ? Step::kRange : Step::kNext;
}

Machine::Step Machine::ComputeOctets(const Instruction& instruction) {
  Register& target = registers_[instruction.a];
  const auto order = [this, &instruction] {
    return CompareOctets(registers_[instruction.b].octets, registers_[instruction.c].octets);
  };
  switch (instruction.op) {
    case Op::kText:
      target.octets = OctetsOf(&plan_.text_spans[instruction.b]);
      target.rows = nullptr;
      break;
    case Op::kSize:
      target.number = static_cast<int64_t>(registers_[instruction.b].octets.size_bytes);
      break;
    case Op::kJoin:
      if (!JoinOctets(registers_[instruction.b].octets, registers_[instruction.c].octets, &arena_,
                      &target.octets)) {
        return Step::kNoRoom;
      }
      target.rows = nullptr;
      break;
    case Op::kFirst:
    case Op::kRest:
      return Slice(instruction);
    case Op::kCheckCut:
      return CheckCut(target, registers_[instruction.b].number);
    case Op::kOctetsEqual:
      target.number = registers_[instruction.b].octets.size_bytes ==
                                  registers_[instruction.c].octets.size_bytes &&
                              order() == 0
                          ? 1
                          : 0;
      break;
    case Op::kHas: {
      Bytes text, part;
      if (!FlattenOctets(registers_[instruction.b].octets, &arena_, &text) ||
          !FlattenOctets(registers_[instruction.c].octets, &arena_, &part)) {
        return Step::kNoRoom;
      }
      target.number = text.find(part) != Bytes::npos ? 1 : 0;
      break;
    }
    case Op::kOctetsLess:
      target.number = order() < 0 ? 1 : 0;
      break;
    case Op::kOctetsLessEqual:
      target.number = order() <= 0 ? 1 : 0;
      break;
    case Op::kCheckSize: {
      if (!target.present) return Step::kNext;
      const int64_t size = static_cast<int64_t>(target.octets.size_bytes);
      if (size < plan_.numbers[instruction.b]) return Step::kType;
      return size > plan_.numbers[instruction.c] ? Step::kFull : Step::kNext;
    }
    default:
      return ComputeRows(instruction);
  }
  target.present = true;
  return Step::kNext;
}

}  // namespace pure::modules
