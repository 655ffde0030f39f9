#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "modules/machine.h"
#include "modules/templates/escape.h"
#include "modules/templates/formats.h"

// The part of the machine for records, collections, states and clauses.

namespace pure::modules {
namespace {

const Rows kNoRows;

// The row in one piece that a register with a record, or an element of a collection, is.
Bytes RowIn(const Register& value) { return value.octets.pieces[0]; }

size_t CountOf(const Register& collection) {
  return collection.rows != nullptr ? collection.rows->size() : BlockView(RowIn(collection)).size();
}

Bytes RowAt(const Register& collection, size_t i) {
  return collection.rows != nullptr ? collection.rows->At(i) : BlockView(RowIn(collection)).row(i);
}

// The first field of a row beside a key: less than 0, 0, or greater.
int CompareKey(Bytes row, bool is_octets, int64_t number, Bytes octets) {
  const RowView view(row);
  if (is_octets) return view.octets(0).compare(octets);
  return view.number(0) < number ? -1 : view.number(0) > number ? 1 : 0;
}

}  // namespace

Machine::Step Machine::ComputeRows(const Instruction& instruction) {
  Register& target = registers_[instruction.a];
  switch (instruction.op) {
    case Op::kField:
      return ReadField(instruction);
    case Op::kMakeRow:
      return MakeRow(instruction);
    case Op::kSetField:
      return SetField(instruction);
    case Op::kSequence:
      target = Register{.rows = &kNoRows};
      return Step::kNext;
    case Op::kCount:
      target.number = static_cast<int64_t>(CountOf(registers_[instruction.b]));
      target.present = true;
      return Step::kNext;
    case Op::kAt: {
      const Register& collection = registers_[instruction.b];
      const int64_t at = registers_[instruction.c].number;
      const bool there = at >= 0 && static_cast<uint64_t>(at) < CountOf(collection);
      if (there) return SetRow(&target, RowAt(collection, static_cast<size_t>(at)));
      target.present = false;
      return Step::kNext;
    }
    case Op::kFindRow:
      return FindRow(instruction);
    case Op::kPush:
      return Push(instruction);
    case Op::kPutRow:
    case Op::kRemoveKey:
      return PutRow(instruction);
    case Op::kSetAt: {
      const Bytes row = RowIn(registers_[instruction.c]);
      NewVersion(&target)->Set(static_cast<size_t>(registers_[instruction.b].number), row);
      return Step::kNext;
    }
    case Op::kRemoveAt: {
      const int64_t at = registers_[instruction.b].number;
      if (at < 0 || static_cast<uint64_t>(at) >= CountOf(target)) return Step::kNext;
      NewVersion(&target)->Remove(static_cast<size_t>(at));
      return Step::kNext;
    }
    case Op::kDropMarked:
      return DropMarked(instruction);
    case Op::kCheckCount:
      return target.present && static_cast<int64_t>(CountOf(target)) > plan_.numbers[instruction.b]
                 ? Step::kFull
                 : Step::kNext;
    default:
      return RunState(instruction);
  }
}

Machine::Step Machine::SetRow(Register* target, Bytes row) {
  Bytes* const piece = arena_.AllocateArray<Bytes>(1);
  if (piece == nullptr) return Step::kNoRoom;
  *piece = row;
  *target = Register{.octets = OctetsOf(piece)};
  return Step::kNext;
}

// A field of what is absent is absent.
Machine::Step Machine::ReadField(const Instruction& instruction) {
  const Register& record = registers_[instruction.b];
  Register& target = registers_[instruction.a];
  const Bytes row = record.present ? RowIn(record) : Bytes();
  target.present = record.present && RowView(row).present(instruction.c);
  if (!target.present) return Step::kNext;
  if (instruction.d != 0) return SetRow(&target, RowView(row).octets(instruction.c));
  target.number = RowView(row).number(instruction.c);
  return Step::kNext;
}

// A collection as one block, anything else as it is.
Machine::Step Machine::Flatten(const Register& value, Octets* octets) {
  *octets = value.octets;
  if (value.rows == nullptr) return Step::kNext;
  std::vector<Bytes> rows;
  for (size_t i = 0; i < value.rows->size(); ++i) rows.push_back(value.rows->At(i));
  const size_t bytes = BlockBytes(rows);
  char* const block = arena_.AllocateArray<char>(bytes);
  Bytes* const piece = arena_.AllocateArray<Bytes>(1);
  if (block == nullptr || piece == nullptr) return Step::kNoRoom;
  EncodeBlock(rows, block);
  *piece = Bytes(block, bytes);
  *octets = OctetsOf(piece);
  return Step::kNext;
}

Machine::Step Machine::FieldOf(const Register& value, bool is_octets, Field* field) {
  *field = {.present = value.present, .is_octets = is_octets, .number = value.number};
  if (!value.present || !is_octets) return Step::kNext;
  Octets octets;
  const Step step = Flatten(value, &octets);
  field->pieces = octets.spans();
  field->size_bytes = octets.size_bytes;
  return step;
}

Machine::Step Machine::Encode(absl::Span<const Field> fields, Register* target) {
  const size_t bytes = RowBytes(fields);
  char* const row = arena_.AllocateArray<char>(bytes);
  if (row == nullptr) return Step::kNoRoom;
  EncodeRow(fields, row);
  return SetRow(target, Bytes(row, bytes));
}

Machine::Step Machine::MakeRow(const Instruction& instruction) {
  const Layout& layout = plan_.layouts[instruction.c];
  fields_.resize(layout.size());
  for (size_t i = 0; i < layout.size(); ++i) {
    const Step step = FieldOf(registers_[instruction.b + i], layout[i], &fields_[i]);
    if (step != Step::kNext) return step;
  }
  return Encode(fields_, &registers_[instruction.a]);
}

Machine::Step Machine::SetField(const Instruction& instruction) {
  Register& record = registers_[instruction.a];
  const Layout& layout = plan_.layouts[instruction.d];
  const RowView row(RowIn(record));
  std::vector<Bytes> octets(layout.size());
  fields_.resize(layout.size());
  for (size_t i = 0; i < layout.size(); ++i) {
    Field& field = fields_[i];
    field = {.present = row.present(i), .is_octets = layout[i]};
    if (!field.present) continue;
    if (layout[i]) {
      octets[i] = row.octets(i);
      field.pieces = absl::MakeConstSpan(&octets[i], 1);
      field.size_bytes = octets[i].size();
    } else {
      field.number = row.number(i);
    }
  }
  const size_t changed = instruction.c;
  const Step step = FieldOf(registers_[instruction.b], layout[changed], &fields_[changed]);
  return step == Step::kNext ? Encode(fields_, &record) : step;
}

// ---- Collections ----

// A copy to be changed; what other registers have stays as it was.
Rows* Machine::NewVersion(Register* collection) {
  Rows& version = versions_.emplace_back();
  if (collection->rows != nullptr) {
    version = *collection->rows;
  } else {
    const BlockView block(RowIn(*collection));
    for (size_t i = 0; i < block.size(); ++i) version.Push(block.row(i));
  }
  *collection = Register{.rows = &version};
  return &version;
}

// What a key is compared by.
Bytes Machine::KeyOf(const Register& value, bool is_octets, int64_t* number, bool* made) {
  *number = value.number;
  Bytes flat;
  *made = !is_octets || FlattenOctets(value.octets, &arena_, &flat);
  return flat;
}

Machine::Step Machine::FindRow(const Instruction& instruction) {
  const Register& collection = registers_[instruction.b];
  Register& target = registers_[instruction.a];
  int64_t number = 0;
  bool made = false;
  const bool is_octets = instruction.d != 0;
  const Bytes key = KeyOf(registers_[instruction.c], is_octets, &number, &made);
  if (!made) return Step::kNoRoom;
  size_t begin = 0;
  size_t end = CountOf(collection);
  const size_t count = end;
  while (begin < end) {
    const size_t middle = begin + (end - begin) / 2;
    if (CompareKey(RowAt(collection, middle), is_octets, number, key) < 0) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  if (begin < count && CompareKey(RowAt(collection, begin), is_octets, number, key) == 0) {
    return SetRow(&target, RowAt(collection, begin));
  }
  target.present = false;
  return Step::kNext;
}

// The row that has the key of the register b, which is a row to be put or, of kRemoveKey, a key.
Machine::Step Machine::PutRow(const Instruction& instruction) {
  Register& target = registers_[instruction.a];
  const Register& given = registers_[instruction.b];
  const bool puts = instruction.op == Op::kPutRow;
  const bool is_octets = instruction.d != 0;
  int64_t number = 0;
  bool made = true;
  Bytes key;
  if (!puts) {
    key = KeyOf(given, is_octets, &number, &made);
  } else if (is_octets) {
    key = RowView(RowIn(given)).octets(0);
  } else {
    number = RowView(RowIn(given)).number(0);
  }
  if (!made) return Step::kNoRoom;
  const Bytes row = puts ? RowIn(given) : Bytes();
  Rows& rows = *NewVersion(&target);
  const auto order = [&](Bytes other) { return CompareKey(other, is_octets, number, key); };
  const size_t at = rows.LowerBound(order);
  const bool there = at < rows.size() && order(rows.At(at)) == 0;
  if (!puts) {
    if (there) rows.Remove(at);
  } else if (there) {
    rows.Set(at, row);
  } else if (static_cast<int64_t>(rows.size()) >= plan_.numbers[instruction.c]) {
    return Step::kFull;
  } else {
    rows.Insert(at, row);
  }
  return Step::kNext;
}

Machine::Step Machine::Push(const Instruction& instruction) {
  const Bytes row = RowIn(registers_[instruction.b]);
  const bool ring = instruction.d != 0;
  Register& target = registers_[instruction.a];
  const bool full = static_cast<int64_t>(CountOf(target)) >= plan_.numbers[instruction.c];
  if (full && !ring) return Step::kFull;
  Rows& rows = *NewVersion(&target);
  if (full) rows.Remove(0);
  rows.Push(row);
  return Step::kNext;
}

Machine::Step Machine::DropMarked(const Instruction& instruction) {
  const std::vector<size_t>& marks = clauses_[instruction.b].SortedMarks();
  if (marks.empty()) return Step::kNext;
  Rows& rows = *NewVersion(&registers_[instruction.a]);
  for (const size_t mark : marks) rows.Remove(mark);
  return Step::kNext;
}

// ---- States and clauses ----

Machine::Step Machine::RunState(const Instruction& instruction) {
  Register& target = registers_[instruction.a];
  switch (instruction.op) {
    case Op::kState:
      // The version that it is now: the state may be stored anew while this one is in use.
      target = Register{.rows = &versions_.emplace_back(states_[instruction.b])};
      return Step::kNext;
    case Op::kStateRow:
      return SetRow(&target, versions_.emplace_back(states_[instruction.b]).At(0));
    case Op::kStoreState:
      states_[instruction.b] = *NewVersion(&target);
      return Step::kNext;
    case Op::kStoreStateRow: {
      Rows rows;
      rows.Push(RowIn(target));
      states_[instruction.b] = rows;
      return Step::kNext;
    }
    case Op::kEach:
      Begin(instruction);
      return Step::kNext;
    case Op::kLimit: {
      const auto limit = [this](uint16_t at, size_t none) {
        if (at == kNoRegister) return none;
        return static_cast<size_t>(std::max<int64_t>(0, registers_[at].number));
      };
      clauses_[instruction.a].Limit(limit(instruction.b, 0), limit(instruction.c, Clause::kAll));
      return Step::kNext;
    }
    case Op::kCollect:
      return Collect(instruction);
    case Op::kSort:
      clauses_[instruction.a].Sort(instruction.b != 0);
      return Step::kNext;
    case Op::kMark:
      clauses_[instruction.a].Mark();
      return Step::kNext;
    case Op::kEmitText:
      page_.append(plan_.texts[instruction.b]);
      return Step::kNext;
    case Op::kEmit:
      return EmitValue(instruction);
    default:
      return Step::kNext;
  }
}

// What a hole of a template shows.
Machine::Step Machine::EmitValue(const Instruction& instruction) {
  const Register& value = registers_[instruction.a];
  const auto escape = static_cast<Escape>(instruction.c);
  switch (static_cast<Emission>(instruction.b)) {
    case Emission::kOctets: {
      Bytes flat;
      if (!FlattenOctets(value.octets, &arena_, &flat)) return Step::kNoRoom;
      AppendEscaped(escape, flat, &page_);
      break;
    }
    case Emission::kInt:
      absl::StrAppend(&page_, value.number);
      break;
    case Emission::kBool:
      page_.append(value.number != 0 ? "true" : "false");
      break;
    case Emission::kCase: {
      Type choice = TypeOfKind(TypeKind::kChoice);
      choice.shape = instruction.d;
      AppendEscaped(escape, plan_.shapes.cases(choice)[static_cast<size_t>(value.number)], &page_);
      break;
    }
    case Emission::kTime:
      AppendIso(value.number, &page_);
      break;
    case Emission::kDate:
      AppendDate(value.number, &page_);
      break;
    case Emission::kClock:
      AppendClock(value.number, &page_);
      break;
    case Emission::kSpan:
      AppendSpan(value.number, &page_);
      break;
  }
  return Step::kNext;
}

void Machine::Begin(const Instruction& instruction) {
  const Register& collection = registers_[instruction.b];
  if (collection.rows != nullptr) {
    clauses_[instruction.a].Begin(*collection.rows);
  } else {
    clauses_[instruction.a].Begin(RowIn(collection));
  }
}

// False: the clause has ended.
bool Machine::Next(const Instruction& instruction, Step* step) {
  Clause& clause = clauses_[instruction.a];
  if (!clause.Next()) return false;
  registers_[instruction.d].present = true;
  registers_[instruction.d].number = static_cast<int64_t>(clause.index());
  *step = SetRow(&registers_[instruction.b], clause.row());
  return true;
}

Machine::Step Machine::Collect(const Instruction& instruction) {
  int64_t number = 0;
  bool made = false;
  const bool is_octets = instruction.d != 0;
  const Bytes key = KeyOf(registers_[instruction.b], is_octets, &number, &made);
  if (!made) return Step::kNoRoom;
  clauses_[instruction.a].Collect(is_octets ? 0 : number, key);
  return Step::kNext;
}

}  // namespace pure::modules
