#include "modules/expression_checker.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "modules/limits.h"
#include "modules/slice_bounds.h"

namespace pure::modules {
namespace {

constexpr int64_t kIntMax = std::numeric_limits<int64_t>::max();

}  // namespace

void ExpressionChecker::Report(Index index, std::string what, std::string help) {
  diagnostics_.Add(ast_.exprs[index].offset, std::move(what), std::move(help));
  known(index).type = ErrorType();
}

const Known& ExpressionChecker::Check(Index expr, const Type* expected) {
  CheckNode(expr, expected);
  return known(expr);
}

const Known& ExpressionChecker::CheckOpened(Index expr, const Type* expected) {
  CheckNode(expr, expected);
  const Type& type = known(expr).type;
  if (type.option) ReportOption(expr);
  if (type.kind == TypeKind::kNone) Report(expr, "a value must be here, not `none`");
  return known(expr);
}

void ExpressionChecker::CheckCondition(Index expr) {
  const Type type = CheckOpened(expr, nullptr).type;
  if (type.is_error() || type.kind == TypeKind::kBool) return;
  Report(expr, absl::StrCat("a condition is true or false, and this is ", KindText(type)));
}

void ExpressionChecker::ReportOption(Index index) {
  const Expr& expr = ast_.exprs[index];
  const Bytes name = expr.kind == ExprKind::kName ? expr.text : "this";
  Report(index,
         expr.kind == ExprKind::kName ? absl::StrCat("`", name, "` may be absent here")
                                      : "this may be absent",
         absl::StrCat("open it first: let it = ", expr.kind == ExprKind::kName ? name : "...",
                      " else not_found"));
}

std::string ExpressionChecker::Suggestion(Bytes name, absl::Span<const Bytes> more) const {
  std::vector<Bytes> candidates = scope_.names();
  candidates.insert(candidates.end(), more.begin(), more.end());
  const Bytes nearest = diagnostics_.Nearest(name, candidates);
  return nearest.empty() ? "" : absl::StrCat("did you mean `", nearest, "`?");
}

void ExpressionChecker::CheckNode(Index index, const Type* expected) {
  const Expr& expr = ast_.exprs[index];
  known(index) = Known{};
  if (note_call_ != nullptr && note_call_(index)) return;
  switch (expr.kind) {
    case ExprKind::kBroken:
      return;
    case ExprKind::kInt:
      return CheckInt(index);
    case ExprKind::kDuration:
      if (expr.number > static_cast<uint64_t>(kIntMax)) {
        return Report(index, "this span is too long", "milliseconds have 64 bits");
      }
      known(index).type = TypeOfKind(TypeKind::kSpan);
      return;
    case ExprKind::kText:
      return CheckText(index, expected);
    case ExprKind::kBool:
      known(index).type = BoolType();
      return;
    case ExprKind::kNone:
      known(index).type.kind = TypeKind::kNone;
      return;
    case ExprKind::kName:
      return CheckName(index, expected);
    case ExprKind::kUnary:
      return CheckUnary(index);
    case ExprKind::kBinary:
      return CheckBinary(index);
    case ExprKind::kIf:
      return CheckIf(index, expected);
    case ExprKind::kCall:
      return CheckCall(index);
    case ExprKind::kMethod:
      return Report(index, "only a document has messages to be called");
    case ExprKind::kSlice:
      return CheckSlice(index);
    case ExprKind::kField:
      return CheckField(index);
    case ExprKind::kIndex:
      return CheckIndex(index);
    case ExprKind::kRecord:
      return CheckRecord(index, expected);
    case ExprKind::kEntry:
      Report(index, "arguments have no names here: they are given in their order");
      return;
    case ExprKind::kList:
      return CheckList(index, expected);
    case ExprKind::kElse:
      return CheckElse(index, expected);
    case ExprKind::kEach:
      return CheckEach(index, expected);
  }
}

// One that is a slug may stand where a slug is wanted.
void ExpressionChecker::CheckText(Index index, const Type* expected) {
  const std::string text = DecodeText(ast_.exprs[index].text);
  const auto size = static_cast<int64_t>(text.size());
  const bool wanted = expected != nullptr && expected->kind == TypeKind::kSlug;
  const bool slug =
      wanted && !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_';
      });
  known(index).type = OctetsType(slug ? TypeKind::kSlug : TypeKind::kText, size, size);
}

void ExpressionChecker::CheckInt(Index index) {
  const uint64_t number = ast_.exprs[index].number;
  if (number > static_cast<uint64_t>(kIntMax)) {
    return Report(index, "this number is too large", "the largest is 9223372036854775807");
  }
  known(index).type = IntType(static_cast<int64_t>(number), static_cast<int64_t>(number));
}

void ExpressionChecker::CheckName(Index index, const Type* expected) {
  const Bytes name = ast_.exprs[index].text;
  ExprNote& note = checked_.exprs[index];
  if (const int slot = scope_.Find(name); slot >= 0) {
    note.meaning = Meaning::kSlot;
    note.number = static_cast<uint16_t>(slot);
    note.known = scope_.at(note.number).known;
    return;
  }
  std::vector<Bytes> others;
  for (size_t i = 0; i < checked_.states.size(); ++i) {
    const CheckedState& state = checked_.states[i];
    others.push_back(state.name);
    if (state.name != name) continue;
    note.meaning = Meaning::kState;
    note.number = static_cast<uint16_t>(i);
    note.known = KnownOf(state.type);
    return;
  }
  if (expected != nullptr && expected->kind == TypeKind::kChoice) {
    if (const int number = checked_.shapes.FindCase(*expected, name); number >= 0) {
      note.meaning = Meaning::kCase;
      note.number = static_cast<uint16_t>(number);
      note.known.type = *expected;
      note.known.type.option = false;
      return;
    }
    for (const std::string& text : checked_.shapes.cases(*expected)) others.push_back(text);
  }
  Report(index, absl::StrCat("there is no `", Shortened(name), "` here"), Suggestion(name, others));
}

bool ExpressionChecker::IsUnknownName(Index index) const {
  const Expr& expr = ast_.exprs[index];
  const auto same = [&expr](const CheckedState& state) { return state.name == expr.text; };
  return expr.kind == ExprKind::kName && scope_.Find(expr.text) < 0 &&
         std::none_of(checked_.states.begin(), checked_.states.end(), same);
}

void ExpressionChecker::CheckIf(Index index, const Type* expected) {
  const Expr& expr = ast_.exprs[index];
  CheckCondition(expr.first);
  Type second_expected = expected != nullptr ? *expected : ErrorType();
  const Known second = Check(expr.second, &second_expected);
  if (expected == nullptr) second_expected = second.type;
  const Known third = Check(expr.third, &second_expected);
  Known& result = known(index);
  if (!Join(second.type, third.type, &result.type)) {
    return Report(index, absl::StrCat("the two sides do not match: ", KindText(second.type),
                                      " and ", KindText(third.type)));
  }
  const auto lendable = [](const Known& side) {
    return side.stored || side.type.high <= kAnswerBytesMax;
  };
  result.stored = (second.stored || third.stored) && lendable(second) && lendable(third);
  result.parts = std::max(second.parts, third.parts);
}

// The type of where a range starts or ends; null: it is open, or was reported.
const Type* ExpressionChecker::CheckOffset(Index index) {
  if (index == kNoIndex) return nullptr;
  const Type& type = CheckOpened(index, nullptr).type;
  if (type.kind == TypeKind::kInt) return &type;
  if (!type.is_error()) {
    Report(index, absl::StrCat("a range counts bytes, and this is ", KindText(type)));
  }
  return nullptr;
}

// A range of what may be absent may be absent.
void ExpressionChecker::CheckSlice(Index index) {
  const Expr& expr = ast_.exprs[index];
  const Known value = Check(expr.first, nullptr);
  const Type* const from = CheckOffset(expr.second);
  const Type* const to = CheckOffset(expr.third);
  if (value.type.is_error()) return;
  if (!value.type.is_octets()) {
    return Report(index, absl::StrCat("a range is one of a text or bytes, and this is ",
                                      KindText(value.type)));
  }
  const SliceBounds bounds = BoundsOfSlice(value.type, from, to);
  if (bounds.never) {
    return Report(index, "there is never such a range",
                  absl::StrCat("the value has ", SizeText(value.type.low), " to ",
                               SizeText(value.type.high), " bytes"));
  }
  Known& slice = known(index);
  slice = value;
  slice.type.low = bounds.low;
  slice.type.high = bounds.high;
  if (slice.type.kind == TypeKind::kSlug) slice.type.kind = TypeKind::kText;  // it may be empty
}

}  // namespace pure::modules
