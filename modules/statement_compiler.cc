#include <algorithm>
#include <utility>

#include "modules/handler_compiler.h"
#include "modules/limits.h"
#include "modules/templates/escape.h"

// The part of the handler compiler that compiles changes: of names, states, their fields and
// elements; and what a template shows.

namespace pure::modules {
namespace {

constexpr uint64_t kEditSteps = 64;

}  // namespace

// place = expr
void HandlerCompiler::CompileAssign(Index index) {
  const Stmt& stmt = ast_.stmts[index];
  const Expr& place = ast_.exprs[stmt.place];
  const uint16_t slot = checked_.stmt_slots[index];
  if (place.kind == ExprKind::kName && checked_.exprs[stmt.place].meaning != Meaning::kState) {
    if (slot == kValueSlot) return AssignValue(stmt);
    Emit(Op::kMove, slot, Value(stmt.expr), 0, 1);
    return;
  }
  const Type wanted = known(stmt.place).type;
  const uint16_t value = NewTemporary();
  IntoAs(stmt.expr, wanted, value);
  plan_->save_bytes_max += StoredBytesMax(wanted, checked_.shapes);
  CompilePlace(stmt.place, [&](uint16_t target) { Emit(Op::kMove, target, value, 0, 1); });
}

// Changes what `place` names: takes it out of what it is in, changes it there, and puts it back,
// from the inside to the outside.
void HandlerCompiler::CompilePlace(Index place, absl::FunctionRef<void(uint16_t value)> change) {
  const Expr& expr = ast_.exprs[place];
  const ExprNote& note = checked_.exprs[place];
  if (expr.kind == ExprKind::kName && note.meaning == Meaning::kSlot) {
    return change(static_cast<uint16_t>(slots_ + note.number));
  }
  const uint16_t value = NewTemporary();
  if (expr.kind == ExprKind::kName) {
    LoadState(note.number, value);
    change(value);
    return StoreState(note.number, value);
  }
  const Type record = known(expr.first).type;
  const auto bytes = static_cast<uint64_t>(StoredBytesMax(record, checked_.shapes));
  CompilePlace(expr.first, [&](uint16_t outer) {
    Emit(Op::kField, value, outer, note.number, 1, OctetsFlag(note.known.type));
    change(value);
    Emit(Op::kSetField, outer, value, note.number, 1 + bytes / kBytesPerStep, RecordLayout(record));
  });
}

void HandlerCompiler::CompileMethod(const Stmt& stmt) {
  const Type type = known(stmt.place).type;
  CompilePlace(stmt.place, [&](uint16_t sequence) { Edit(stmt, type, sequence); });
}

// sequence.name(arguments)
void HandlerCompiler::Edit(const Stmt& stmt, const Type& collection, uint16_t sequence) {
  const Type element = checked_.shapes.element(collection);
  const bool line = collection.kind == TypeKind::kList || collection.kind == TypeKind::kRing;
  const Type key = collection.kind == TypeKind::kMap ? checked_.shapes.key(collection) : element;
  const Bytes name = stmt.name.text;
  const auto row_steps =
      static_cast<uint64_t>(ElementBytesMax(collection, checked_.shapes)) / kBytesPerStep;
  plan_->save_bytes_max += ElementBytesMax(collection, checked_.shapes);
  if (name == "clear") {
    Emit(Op::kSequence, sequence, 0, 0, kEditSteps);
  } else if (name == "push") {
    const uint16_t row = RowOf(element, ValueAs(stmt.expr, element));
    const bool ring = collection.kind == TypeKind::kRing;
    Emit(Op::kPush, sequence, row, Number(collection.high), kEditSteps + row_steps, ring ? 1 : 0);
    if (!ring) Raise(BuiltinFault::kFull);
  } else if (name == "remove") {
    const uint16_t which = ValueAs(stmt.expr, line ? AnyIntType() : key);
    if (line) {
      Emit(Op::kRemoveAt, sequence, which, 0, kEditSteps);
    } else {
      Emit(Op::kRemoveKey, sequence, which, 0, kEditSteps * OctetSteps(key), OctetsFlag(key));
    }
  } else {  // put
    uint16_t row = 0;
    if (collection.kind == TypeKind::kMap) {
      const uint16_t fields = NewTemporary();
      (void)NewTemporary();
      IntoAs(stmt.expr, key, fields);
      IntoAs(ast_.exprs[stmt.expr].next, element, static_cast<uint16_t>(fields + 1));
      row = NewTemporary();
      Emit(Op::kMakeRow, row, fields, LayoutOf({!key.is_number(), !element.is_number()}),
           1 + row_steps);
    } else {
      row = NewTemporary();
      const uint16_t value = ValueAs(stmt.expr, key);
      Emit(Op::kMakeRow, row, value, LayoutOf({!key.is_number()}), 1 + row_steps);
    }
    Emit(Op::kPutRow, sequence, row, Number(collection.high),
         kEditSteps * OctetSteps(key) + row_steps, OctetsFlag(key));
    Raise(BuiltinFault::kFull);
  }
}

// {expr} or {expr:format}
void HandlerCompiler::CompileHole(const Stmt& stmt) {
  const Type type = known(stmt.expr).type;
  Emission emission = Emission::kOctets;
  if (type.kind == TypeKind::kInt) emission = Emission::kInt;
  if (type.kind == TypeKind::kBool) emission = Emission::kBool;
  if (type.kind == TypeKind::kChoice) emission = Emission::kCase;
  if (type.kind == TypeKind::kSpan) emission = Emission::kSpan;
  if (type.kind == TypeKind::kTime) {
    emission = stmt.name.text == "date"   ? Emission::kDate
               : stmt.name.text == "time" ? Emission::kClock
                                          : Emission::kTime;
  }
  Emit(Op::kEmit, Value(stmt.expr), static_cast<uint16_t>(emission),
       static_cast<uint16_t>(stmt.escape), 1 + OctetSteps(type), type.shape);
}

// for clause block [else block]; the else part is a template's, for when there is no element.
void HandlerCompiler::CompileFor(const Stmt& stmt) {
  const uint16_t none = NewTemporary();
  if (stmt.has_other) Emit(Op::kInt, none, Number(1), 0, 1);
  Loop(stmt.clause, {}, [&](const Element&) {
    if (stmt.has_other) Emit(Op::kInt, none, Number(0), 0, 1);
    CompileBlock(stmt.body);
  });
  if (!stmt.has_other) return;
  const size_t over = Emit(Op::kJumpIfFalse, none, 0, 0, 1);
  CompileBlock(stmt.other);
  Land(over);
}

// change clause block [else fault]: the list with each element as the block leaves it.
void HandlerCompiler::CompileChange(const Stmt& stmt) {
  const ClauseNode& clause = ast_.clauses[stmt.clause];
  const ClauseNote& note = checked_.clauses[stmt.clause];
  const Type source = known(clause.source).type;
  const Type element = checked_.shapes.element(source);
  const uint16_t none = NewTemporary();
  Emit(Op::kInt, none, Number(1), 0, 1);
  const auto row_steps =
      static_cast<uint64_t>(ElementBytesMax(source, checked_.shapes)) / kBytesPerStep;
  plan_->save_bytes_max +=
      ElementBytesMax(source, checked_.shapes) * std::min<int64_t>(source.high, kAnswerBytesMax);
  CompilePlace(clause.source, [&](uint16_t sequence) {
    const uint16_t changed = NewTemporary();
    Emit(Op::kMove, changed, sequence, 0, 1);
    Loop(stmt.clause, {}, [&](const Element& at) {
      Emit(Op::kInt, none, Number(0), 0, 1);
      CompileBlock(stmt.body);
      if (source.kind == TypeKind::kMap) {
        const uint16_t fields = NewTemporary();
        (void)NewTemporary();
        const Type& key = checked_.shapes.key(source);
        Emit(Op::kField, fields, at.row, 0, 1, OctetsFlag(key));
        Emit(Op::kMove, static_cast<uint16_t>(fields + 1), note.second, 0, 1);
        const uint16_t row = NewTemporary();
        Emit(Op::kMakeRow, row, fields, LayoutOf({!key.is_number(), !element.is_number()}),
             1 + row_steps);
        Emit(Op::kSetAt, changed, at.place, row, kEditSteps + row_steps);
      } else {
        const uint16_t row = RowOf(element, note.second);
        Emit(Op::kSetAt, changed, at.place, row, kEditSteps + row_steps);
      }
    });
    Emit(Op::kMove, sequence, changed, 0, 1);
  });
  if (stmt.alternative == kNoIndex) return;
  const size_t over = Emit(Op::kJumpIfFalse, none, 0, 0, 1);
  CompileFault(stmt.alternative);
  Land(over);
}

// drop clause
void HandlerCompiler::CompileDrop(const Stmt& stmt) {
  const ClauseNode& clause = ast_.clauses[stmt.clause];
  plan_->save_bytes_max += ElementBytesMax(known(clause.source).type, checked_.shapes);
  CompilePlace(clause.source, [&](uint16_t sequence) {
    const uint16_t number = open_clauses_;
    Loop(stmt.clause, {}, [&](const Element&) { Emit(Op::kMark, number, 0, 0, kEditSteps); });
    Emit(Op::kDropMarked, sequence, number, 0, 1);
  });
}

}  // namespace pure::modules
