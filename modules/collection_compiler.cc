#include <algorithm>
#include <bit>
#include <utility>

#include "absl/numeric/int128.h"
#include "modules/handler_compiler.h"

// The part of the handler compiler that compiles records, collections, states and clauses.

namespace pure::modules {
namespace {

// What a change of a collection costs beside the row itself: a way down the tree, and a chunk.
constexpr uint64_t kEditSteps = 64;
constexpr uint64_t kFindSteps = 16;

}  // namespace

void HandlerCompiler::CheckAs(const Type& type, const Type& wanted, uint16_t target) {
  if (type.kind == TypeKind::kNone) return;
  if (wanted.is_octets() && (type.low < wanted.low || type.high > wanted.high)) {
    Emit(Op::kCheckSize, target, Number(wanted.low), Number(wanted.high), 1);
    if (type.low < wanted.low) Raise(BuiltinFault::kType);
    if (type.high > wanted.high) Raise(BuiltinFault::kFull);
  } else if (wanted.kind == TypeKind::kInt && (type.low < wanted.low || type.high > wanted.high)) {
    Emit(Op::kCheckInt, target, Number(wanted.low), Number(wanted.high), 1);
    Raise(BuiltinFault::kOverflow);
  } else if (wanted.is_collection() && type.high > wanted.high) {
    Emit(Op::kCheckCount, target, Number(wanted.high), 0, 1);
    Raise(BuiltinFault::kFull);
  }
}

void HandlerCompiler::IntoAs(Index index, const Type& wanted, uint16_t target) {
  Into(index, target);
  CheckAs(known(index).type, wanted, target);
}

uint16_t HandlerCompiler::ValueAs(Index index, const Type& wanted) {
  const uint16_t value = Value(index);
  CheckAs(known(index).type, wanted, value);
  return value;
}

// ---- Rows ----

uint16_t HandlerCompiler::RowOf(const Type& element, uint16_t value) {
  if (IsRow(element)) return value;
  const uint16_t row = NewTemporary();
  Emit(Op::kMakeRow, row, value, LayoutOf({!element.is_number()}), OctetSteps(element));
  return row;
}

void HandlerCompiler::FromRow(const Type& collection, uint16_t row, uint16_t target) {
  const Type& element = checked_.shapes.element(collection);
  if (collection.kind == TypeKind::kMap) {
    Emit(Op::kField, target, row, 1, 1, OctetsFlag(element));
  } else if (IsRow(element)) {
    if (target != row) Emit(Op::kMove, target, row, 0, 1);
  } else {
    Emit(Op::kField, target, row, 0, 1, OctetsFlag(element));
  }
}

void HandlerCompiler::FieldInto(Index index, uint16_t target) {
  const Expr& expr = ast_.exprs[index];
  Emit(Op::kField, target, Value(expr.first), checked_.exprs[index].number, 1,
       OctetsFlag(known(index).type));
}

void HandlerCompiler::RecordInto(Index index, uint16_t target) {
  const Type& record = known(index).type;
  const size_t count = checked_.shapes.fields(record).size();
  const uint16_t first = next_temporary_;
  for (size_t i = 0; i < count; ++i) (void)NewTemporary();
  std::vector<bool> given(count, false);
  size_t position = 0;
  for (Index entry = ast_.exprs[index].first; entry != kNoIndex; entry = ast_.exprs[entry].next) {
    const Expr& node = ast_.exprs[entry];
    const int named = checked_.shapes.FindField(record, node.text);
    const size_t field = named < 0 ? position : static_cast<size_t>(named);
    ++position;
    given[field] = true;
    const Type wanted = checked_.shapes.fields(record)[field].type;
    IntoAs(node.first, wanted, static_cast<uint16_t>(first + field));
  }
  for (size_t i = 0; i < count; ++i) {
    if (!given[i]) Emit(Op::kNone, static_cast<uint16_t>(first + i), 0, 0, 1);
  }
  const auto bytes = static_cast<uint64_t>(StoredBytesMax(record, checked_.shapes));
  Emit(Op::kMakeRow, target, first, RecordLayout(record), 1 + count + bytes / kBytesPerStep);
}

// ---- Collections ----

void HandlerCompiler::IndexInto(Index index, uint16_t target) {
  const Expr& expr = ast_.exprs[index];
  const Type source = known(expr.first).type;
  const uint16_t sequence = Value(expr.first);
  const uint16_t row = NewTemporary();
  if (source.kind == TypeKind::kMap) {
    const Type& key = checked_.shapes.key(source);
    Emit(Op::kFindRow, row, sequence, Value(expr.second), kFindSteps * OctetSteps(key),
         OctetsFlag(key));
  } else {
    Emit(Op::kAt, row, sequence, Value(expr.second), kFindSteps);
  }
  FromRow(source, row, target);  // a field of what is absent is absent
}

void HandlerCompiler::ListInto(Index index, uint16_t target) {
  const Type list = known(index).type;
  Emit(Op::kSequence, target, 0, 0, 1);
  for (Index value = ast_.exprs[index].first; value != kNoIndex; value = ast_.exprs[value].next) {
    const uint16_t temporaries = next_temporary_;
    const Type element = checked_.shapes.element(list);
    const uint16_t row = RowOf(element, ValueAs(value, element));
    Emit(Op::kPush, target, row, Number(kElementsMax), kEditSteps);
    next_temporary_ = temporaries;
  }
}

void HandlerCompiler::ElseInto(Index index, uint16_t target) {
  const Expr& expr = ast_.exprs[index];
  Into(expr.first, target);
  const size_t over = Emit(Op::kJumpIfPresent, target, 0, 0, 1);
  Into(expr.second, target);
  Land(over);
}

// ---- States ----

void HandlerCompiler::LoadState(uint16_t state, uint16_t target) {
  const Type& type = checked_.states[state].type;
  plan_->reads.push_back(state);
  if (type.is_collection()) {
    Emit(Op::kState, target, state, 0, 1);
    return;
  }
  Emit(Op::kStateRow, target, state, 0, 2);
  if (!IsRow(type)) Emit(Op::kField, target, target, 0, 1, OctetsFlag(type));
}

void HandlerCompiler::StoreState(uint16_t state, uint16_t value) {
  const Type& type = checked_.states[state].type;
  plan_->stores.push_back(state);
  if (type.is_collection()) {
    Emit(Op::kStoreState, value, state, 0, 1);
  } else {
    Emit(Op::kStoreStateRow, RowOf(type, value), state, 0, kEditSteps);
  }
}

// ---- Clauses ----

void HandlerCompiler::LoopElement(Index clause, uint16_t row) {
  const ClauseNode& node = ast_.clauses[clause];
  const ClauseNote& note = checked_.clauses[clause];
  const Type source = known(node.source).type;
  if (source.kind == TypeKind::kMap && !node.second.text.empty()) {
    Emit(Op::kField, static_cast<uint16_t>(slots_ + note.first), row, 0, 1,
         OctetsFlag(checked_.shapes.key(source)));
  }
  FromRow(source, row, static_cast<uint16_t>(slots_ + note.second));
}

void HandlerCompiler::Loop(Index clause, const Around& around,
                           absl::FunctionRef<void(const Element& at)> body) {
  const ClauseNode& node = ast_.clauses[clause];
  const ClauseNote& note = checked_.clauses[clause];
  const bool is_map = known(node.source).type.kind == TypeKind::kMap;
  const uint16_t temporaries = next_temporary_;
  const uint16_t number = open_clauses_++;
  clauses_max_ = std::max(clauses_max_, open_clauses_);
  const uint16_t source = Value(node.source);
  const bool limited = node.skip != kNoIndex || node.take != kNoIndex;
  const uint16_t skip = node.skip == kNoIndex ? kNoRegister : Value(node.skip);
  const uint16_t take = node.take == kNoIndex ? kNoRegister : Value(node.take);
  Emit(Op::kEach, number, source, 0, 1);
  if (limited) Emit(Op::kLimit, number, skip, take, 1);
  const uint16_t row = NewTemporary();
  // The index is wanted by name, or to change the element.
  const uint16_t place = is_map ? NewTemporary() : static_cast<uint16_t>(slots_ + note.first);
  const uint64_t around_before = around_;
  const auto go_around = [&](uint64_t times) {
    around_ = static_cast<uint64_t>(
        std::min<absl::uint128>(absl::uint128(around_before) * times, kStepsBeyond));
  };
  go_around(note.bound + 1);
  size_t top = Emit(Op::kNext, number, row, 0, 2, place);
  LoopElement(clause, row);
  if (node.filter != kNoIndex) {
    const uint16_t holds = Value(node.filter);
    const size_t over = Emit(around.negated ? Op::kJumpIfFalse : Op::kJumpIfTrue, holds, 0, 0, 1);
    Emit(Op::kBack, number, 0, static_cast<uint16_t>(top), 1);
    Land(over);
  }
  if (node.order != kNoIndex) {
    const Type& order = known(node.order).type;
    Emit(Op::kCollect, number, Value(node.order), 0, 2, OctetsFlag(order));
    Emit(Op::kBack, number, 0, static_cast<uint16_t>(top), 1);
    Land(top);
    // Each comparison may look at all octets of two keys.
    const uint64_t compares = 1 + static_cast<uint64_t>(std::bit_width(note.bound));
    Emit(Op::kSort, number, node.down ? 1 : 0, 0, compares * OctetSteps(order));
    top = Emit(Op::kNext, number, row, 0, 2, place);
    LoopElement(clause, row);
  }
  size_t pass = 0;
  if (limited) {
    pass = Emit(Op::kPass, number, 0, static_cast<uint16_t>(top), 1);
  }
  go_around(note.taken + 1);
  body({.row = row, .place = place});
  Emit(Op::kBack, number, 0, static_cast<uint16_t>(top), 1);
  around_ = around_before;
  Land(top);
  if (limited) plan_->code[pass].d = static_cast<uint16_t>(plan_->code.size());
  if (around.leaves != nullptr) {
    for (const size_t leave : *around.leaves) Land(leave);
  }
  --open_clauses_;
  next_temporary_ = temporaries;
}

void HandlerCompiler::EachInto(Index index, uint16_t target) {
  const Expr& expr = ast_.exprs[index];
  std::vector<size_t> leaves;
  Around around{.negated = expr.fold == Fold::kAll, .leaves = &leaves};
  switch (expr.fold) {
    case Fold::kFirst:
    case Fold::kMin:
    case Fold::kMax:
      Emit(Op::kNone, target, 0, 0, 1);
      break;
    case Fold::kList:
      Emit(Op::kSequence, target, 0, 0, 1);
      break;
    default:
      Emit(Op::kInt, target, Number(expr.fold == Fold::kAll ? 1 : 0), 0, 1);
      break;
  }
  const uint16_t number = open_clauses_;
  Loop(expr.clause, around, [&](const Element&) {
    const uint16_t temporaries = next_temporary_;
    switch (expr.fold) {
      case Fold::kFirst:
        Emit(Op::kMove, target,
             static_cast<uint16_t>(slots_ + checked_.clauses[expr.clause].second), 0, 1);
        leaves.push_back(Emit(Op::kLeave, number, 0, 0, 1));
        break;
      case Fold::kAny:
      case Fold::kAll:
        Emit(Op::kInt, target, Number(expr.fold == Fold::kAny ? 1 : 0), 0, 1);
        leaves.push_back(Emit(Op::kLeave, number, 0, 0, 1));
        break;
      default:
        Gather(index, target, number);
        break;
    }
    next_temporary_ = temporaries;
  });
}

// What one element adds to a list, a count, a sum, a least or a greatest.
void HandlerCompiler::Gather(Index index, uint16_t target, uint16_t number) {
  const Expr& expr = ast_.exprs[index];
  if (expr.fold == Fold::kCount) {
    const uint16_t one = NewTemporary();
    Emit(Op::kInt, one, Number(1), 0, 1);
    Emit(Op::kAdd, target, target, one, 1);
    return;
  }
  if (expr.fold == Fold::kList) {
    const Type element = checked_.shapes.element(known(index).type);
    const uint16_t row = RowOf(element, ValueAs(expr.first, element));
    Emit(Op::kPush, target, row, Number(kElementsMax), kEditSteps);
    return;
  }
  const uint16_t value = Value(expr.first);
  if (expr.fold == Fold::kSum) {
    Emit(Op::kAdd, target, target, value, 1);
    Raise(BuiltinFault::kOverflow);
    return;
  }
  const size_t later = Emit(Op::kJumpIfPresent, target, 0, 0, 1);
  Emit(Op::kMove, target, value, 0, 1);
  const size_t over = Emit(Op::kJump, 0, 0, 0, 1);
  Land(later);
  Emit(expr.fold == Fold::kMin ? Op::kIntMin : Op::kIntMax, target, target, value, 1);
  Land(over);
}

// ---- Functions ----

// The function's body in place of the call, with its names above what is in use here.
void HandlerCompiler::FunctionInto(Index index, uint16_t target) {
  const CheckedFunction& function = checked_.functions[checked_.exprs[index].number];
  if (too_large_ || open_functions_ == kOpenFunctionsMax) {
    too_large_ = true;
    return;
  }
  const uint16_t slots = next_temporary_;
  for (uint16_t i = 0; i < function.slot_count; ++i) (void)NewTemporary();
  size_t position = 0;
  for (Index argument = ast_.exprs[index].first; argument != kNoIndex;
       argument = ast_.exprs[argument].next, ++position) {
    IntoAs(argument, function.parameters[position], static_cast<uint16_t>(slots + position));
  }
  ++open_functions_;
  const uint16_t slots_before = std::exchange(slots_, slots);
  IntoAs(function.expr, function.type, target);
  slots_ = slots_before;
  --open_functions_;
}

void HandlerCompiler::CallInto(Index index, uint16_t target) {
  const Expr& expr = ast_.exprs[index];
  if (checked_.exprs[index].meaning == Meaning::kFunction) return FunctionInto(index, target);
  const uint16_t first = Value(expr.first);
  if (expr.text == "size") {
    Emit(Op::kSize, target, first, 0, 1);
  } else if (expr.text == "count") {
    Emit(Op::kCount, target, first, 0, 1);
  } else {
    const uint16_t second = Value(ast_.exprs[expr.first].next);
    Emit(expr.text == "min" ? Op::kIntMin : Op::kIntMax, target, first, second, 1);
  }
}

}  // namespace pure::modules
