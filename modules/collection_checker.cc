#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "modules/expression_checker.h"
#include "modules/limits.h"

// The half of the expression checker that checks records, collections and clauses.

namespace pure::modules {

void ExpressionChecker::CheckInto(Index expr, Type wanted, Bytes what) {
  const Type type = Check(expr, &wanted).type;
  if (type.is_error() || wanted.is_error()) return;
  if (type.option && !wanted.option && type.kind != TypeKind::kNone) return ReportOption(expr);
  if (!Fits(type, wanted)) {
    return Report(expr, absl::StrCat(what, " is ", TypeText(wanted, checked_.shapes),
                                     ", and this is ", KindText(type)));
  }
  const bool bounded = type.kind == TypeKind::kInt || type.is_octets() || type.is_collection();
  if (bounded && (type.low > wanted.high || type.high < wanted.low) && !type.is_collection()) {
    Report(expr, absl::StrCat("this never fits: ", what, " is ", TypeText(wanted, checked_.shapes),
                              ", and this is ", TypeText(type, checked_.shapes)));
  }
}

void ExpressionChecker::CheckField(Index index) {
  const Expr& expr = ast_.exprs[index];
  const Type record = CheckOpened(expr.first, nullptr).type;
  if (record.is_error()) return;
  if (record.kind != TypeKind::kRecord) {
    return Report(index, absl::StrCat("fields are of records, and this is ", KindText(record)));
  }
  const int field = checked_.shapes.FindField(record, expr.text);
  if (field < 0) {
    std::vector<Bytes> names;
    for (const FieldType& each : checked_.shapes.fields(record)) names.push_back(each.name);
    const Bytes nearest = diagnostics_.Nearest(expr.text, names);
    return Report(index, absl::StrCat("this record has no field `", Shortened(expr.text), "`"),
                  nearest.empty() ? "" : absl::StrCat("did you mean `", nearest, "`?"));
  }
  ExprNote& note = checked_.exprs[index];
  note.meaning = Meaning::kField;
  note.number = static_cast<uint16_t>(field);
  note.known = KnownOf(checked_.shapes.fields(record)[static_cast<size_t>(field)].type);
}

// An element may always be absent.
void ExpressionChecker::CheckIndex(Index index) {
  const Expr& expr = ast_.exprs[index];
  const Type source = CheckOpened(expr.first, nullptr).type;
  if (source.is_error()) return (void)Check(expr.second, nullptr);
  if (source.kind == TypeKind::kMap) {
    CheckInto(expr.second, checked_.shapes.key(source), "the key");
  } else if (source.kind == TypeKind::kList || source.kind == TypeKind::kRing) {
    CheckInto(expr.second, AnyIntType(), "an index");
  } else {
    (void)Check(expr.second, nullptr);
    return Report(index, absl::StrCat("this has no elements by index: it is ", KindText(source)),
                  source.is_octets() ? "a range of bytes is [start..end]" : "");
  }
  known(index) = KnownOf(checked_.shapes.element(source));
  known(index).type.option = true;
}

void ExpressionChecker::CheckRecord(Index index, const Type* expected) {
  if (expected != nullptr && expected->kind == TypeKind::kRecord) {
    return CheckRecordAs(index, *expected);
  }
  std::vector<FieldType> fields;
  bool broken = false;
  for (Index entry = ast_.exprs[index].first; entry != kNoIndex; entry = ast_.exprs[entry].next) {
    const Expr& node = ast_.exprs[entry];
    Type type = Check(node.first, nullptr).type;
    if (type.kind == TypeKind::kNone) Report(node.first, "`none` alone has no type");
    if (type.kind == TypeKind::kInt) type = AnyIntType();
    if (type.is_octets()) type.low = 0;
    broken |= known(node.first).type.is_error();
    const auto same = [&node](const FieldType& field) { return field.name == node.text; };
    if (std::any_of(fields.begin(), fields.end(), same)) {
      Report(entry, absl::StrCat("the field `", node.text, "` stands twice"));
    }
    fields.push_back({std::string(node.text), type});
  }
  Type record = TypeOfKind(TypeKind::kRecord);
  if (broken) return;
  if (fields.empty()) return Report(index, "a record has at least one field");
  if (!checked_.shapes.Intern(fields, &record.shape)) {
    return Report(index, "a module has too many different records");
  }
  known(index) = KnownOf(record);
}

// A record of a type that is known: each of its fields, no other.
void ExpressionChecker::CheckRecordAs(Index index, const Type& record) {
  std::vector<bool> given(checked_.shapes.fields(record).size(), false);
  for (Index entry = ast_.exprs[index].first; entry != kNoIndex; entry = ast_.exprs[entry].next) {
    const Expr& node = ast_.exprs[entry];
    const int field = checked_.shapes.FindField(record, node.text);
    if (field < 0) {
      (void)Check(node.first, nullptr);
      Report(entry, absl::StrCat("there is no field `", Shortened(node.text), "` in ",
                                 TypeText(record, checked_.shapes)));
      continue;
    }
    const auto number = static_cast<size_t>(field);
    if (given[number]) Report(entry, absl::StrCat("the field `", node.text, "` stands twice"));
    given[number] = true;
    checked_.exprs[entry].number = static_cast<uint16_t>(field);
    const Type wanted = checked_.shapes.fields(record)[number].type;
    CheckInto(node.first, wanted, absl::StrCat("the field `", node.text, "`"));
  }
  known(index) = KnownOf(record);
  known(index).type.option = false;
  for (size_t i = 0; i < given.size(); ++i) {
    const FieldType& field = checked_.shapes.fields(record)[i];
    if (!given[i] && !field.type.option) {
      return Report(index, absl::StrCat("the field `", field.name, "` is missing here"));
    }
  }
}

void ExpressionChecker::CheckList(Index index, const Type* expected) {
  int64_t count = 0;
  const bool known_element =
      expected != nullptr && expected->is_collection() && expected->kind != TypeKind::kMap;
  ElementType element;
  if (known_element) element.element = checked_.shapes.element(*expected);
  for (Index value = ast_.exprs[index].first; value != kNoIndex; value = ast_.exprs[value].next) {
    ++count;
    if (known_element) {
      CheckInto(value, element.element, "an element");
      continue;
    }
    const Type type = CheckOpened(value, nullptr).type;
    if (type.is_error()) return;
    if (count == 1) {
      element.element = type;
    } else if (!Join(element.element, type, &element.element)) {
      return Report(value, "the elements of a list have one type");
    }
  }
  Type list = TypeOfKind(TypeKind::kList);
  if (expected != nullptr && expected->is_collection() && count == 0) {
    list = *expected;
    list.option = false;
    known(index) = KnownOf(list);
    return;
  }
  if (count == 0) return Report(index, "what is in this list can not be known here");
  list.high = count;
  if (!checked_.shapes.Intern(element, &list.shape)) {
    return Report(index, "a module has too many different lists");
  }
  known(index) = KnownOf(list);
}

// (first else second)
void ExpressionChecker::CheckElse(Index index, const Type* expected) {
  const Expr& expr = ast_.exprs[index];
  Known opened = Check(expr.first, expected);
  if (!opened.type.is_error() && !opened.type.option) {
    Report(expr.first, "this `else` is never taken: the value is always there");
  }
  opened.type.option = false;
  const Known other = Check(expr.second, &opened.type);
  Known& result = known(index);
  if (!Join(opened.type, other.type, &result.type)) {
    return Report(index, absl::StrCat("the two sides do not match: ", KindText(opened.type),
                                      " and ", KindText(other.type)));
  }
  result.parts = std::max(opened.parts, other.parts);
}

void ExpressionChecker::AddClauseNames(const ClauseNode& clause, const Type& source,
                                       ClauseNote* note) {
  const bool pair = !clause.second.text.empty();
  const Type element = checked_.shapes.element(source);
  const bool keyed = source.kind == TypeKind::kMap;
  const Type index = keyed ? checked_.shapes.key(source) : IntType(0, kElementsMax);
  for (const Name* name : {&clause.first, &clause.second}) {
    if (name->text.empty() || scope_.Find(name->text) < 0) continue;
    diagnostics_.Add(name->offset, absl::StrCat("`", name->text, "` is taken"));
  }
  // There is a slot for both in any case.
  note->first =
      scope_.Add({pair ? clause.first.text : Bytes(), clause.first.offset, false, KnownOf(index)});
  const Name& named = pair ? clause.second : clause.first;
  note->second = scope_.Add({named.text, named.offset, false, KnownOf(element)});
}

bool ExpressionChecker::CheckClause(Index index) {
  const ClauseNode& clause = ast_.clauses[index];
  ClauseNote& note = checked_.clauses[index];
  const Type source = CheckOpened(clause.source, nullptr).type;
  for (const Index number : {clause.skip, clause.take}) {
    if (number != kNoIndex) CheckInto(number, AnyIntType(), "what is skipped or taken");
  }
  if (!source.is_error() && !source.is_collection()) {
    Report(clause.source, absl::StrCat("this has no elements: it is ", KindText(source)));
  }
  if (!source.is_collection()) return false;
  if (clause.second.text == clause.first.text) {
    diagnostics_.Add(clause.second.offset, "the two names are the same");
  }
  note.bound = note.taken = static_cast<uint64_t>(source.high);
  if (clause.take != kNoIndex && known(clause.take).type.kind == TypeKind::kInt) {
    const int64_t take = std::max<int64_t>(0, known(clause.take).type.high);
    note.taken = std::min(note.taken, static_cast<uint64_t>(take));
  }
  AddClauseNames(clause, source, &note);
  if (clause.filter != kNoIndex) CheckCondition(clause.filter);
  if (clause.order != kNoIndex) {
    const Type order = CheckOpened(clause.order, nullptr).type;
    if (!order.is_error() && !order.is_number() && !order.is_octets()) {
      Report(clause.order, absl::StrCat("this has no order: it is ", KindText(order)));
    }
  }
  if (clause.key != kNoIndex) (void)CheckOpened(clause.key, nullptr);
  return true;
}

void ExpressionChecker::CheckEach(Index index, const Type* expected) {
  const uint16_t size = scope_.size();
  if (scope_.size() + 2u > kLocalsMax) {
    return Report(index, "there are too many values with a name at one place");
  }
  if (CheckClause(ast_.exprs[index].clause)) {
    CheckFold(index, checked_.clauses[ast_.exprs[index].clause], expected);
  }
  scope_.Shrink(size);
}

void ExpressionChecker::CheckFold(Index index, const ClauseNote& note, const Type* expected) {
  const Expr& expr = ast_.exprs[index];
  const auto most = static_cast<int64_t>(note.taken);
  Known& result = known(index);
  switch (expr.fold) {
    case Fold::kFirst:
      result = scope_.at(note.second).known;
      result.type.option = true;
      return;
    case Fold::kCount:
      result.type = IntType(0, most);
      return;
    case Fold::kAny:
    case Fold::kAll:
      if (ast_.clauses[expr.clause].filter == kNoIndex) {
        return Report(index, "this wants a condition", "any e in entries if e.done");
      }
      result.type = BoolType();
      return;
    default:
      break;
  }
  if (expr.first == kNoIndex || ast_.exprs[expr.first].next != kNoIndex) {
    return Report(index, "one value stands before `for`");
  }
  if (expr.fold == Fold::kList) {
    ElementType element;
    const bool wanted = expected != nullptr && expected->is_collection();
    const Type* const inner = wanted ? &checked_.shapes.element(*expected) : nullptr;
    const Type inner_type = inner == nullptr ? ErrorType() : *inner;
    if (wanted) {
      CheckInto(expr.first, inner_type, "an element");
      element.element = inner_type;
    } else {
      element.element = Check(expr.first, nullptr).type;
    }
    if (known(expr.first).type.is_error()) return;
    Type list = TypeOfKind(TypeKind::kList);
    list.high = most;
    if (!checked_.shapes.Intern(element, &list.shape)) {
      return Report(index, "a module has too many different lists");
    }
    result = KnownOf(list);
    return;
  }
  const Type type = CheckOpened(expr.first, nullptr).type;
  if (type.is_error()) return;
  const bool adds = type.kind == TypeKind::kInt || type.kind == TypeKind::kSpan;
  if (expr.fold == Fold::kSum ? !adds : !type.is_number()) {
    return Report(expr.first, absl::StrCat("this takes numbers, and here is ", KindText(type)));
  }
  result = KnownOf(type);
  if (expr.fold != Fold::kSum) {
    result.type.option = true;
  } else if (type.kind == TypeKind::kInt) {
    SetRange(index, std::min<absl::int128>(0, absl::int128{type.low} * most),
             std::max<absl::int128>(0, absl::int128{type.high} * most));
  }
}

}  // namespace pure::modules
