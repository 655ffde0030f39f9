#include "modules/expression_checker.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "modules/limits.h"
#include "modules/slice_bounds.h"

namespace pure::modules {
namespace {

constexpr int64_t kIntMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kIntMax = std::numeric_limits<int64_t>::max();

// Builtins of the language that this version does not have.
constexpr Bytes kLaterCalls[] = {"all", "any", "count", "documents", "first", "max", "min", "sum"};
constexpr Bytes kCalls[] = {"size"};

Bytes OperatorText(Operator op) {
  switch (op) {
    case Operator::kAdd:
      return "+";
    case Operator::kSubtract:
    case Operator::kNegate:
      return "-";
    case Operator::kMultiply:
      return "*";
    case Operator::kDivide:
      return "/";
    case Operator::kModulo:
      return "%";
    default:
      return "this";
  }
}

// Bounds of a / b for the divisors of one sign, or zero, which is a fault.
void QuotientBounds(const Type& a, const Type& b, absl::int128* low, absl::int128* high) {
  const absl::int128 divisors[] = {b.low == 0 ? 1 : b.low, b.high == 0 ? -1 : b.high};
  *low = *high = a.low / divisors[0];
  for (const absl::int128 dividend : {a.low, a.high}) {
    for (const absl::int128 divisor : divisors) {
      *low = std::min(*low, dividend / divisor);
      *high = std::max(*high, dividend / divisor);
    }
  }
}

absl::int128 Magnitude(const Type& type) {
  return std::max(-static_cast<absl::int128>(type.low), static_cast<absl::int128>(type.high));
}

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
  switch (expr.kind) {
    case ExprKind::kBroken:
      return;
    case ExprKind::kInt:
      return CheckInt(index);
    case ExprKind::kText: {
      const int64_t size = static_cast<int64_t>(DecodeText(expr.text).size());
      known(index).type = OctetsType(TypeKind::kText, size, size);
      return;
    }
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
    case ExprKind::kSlice:
      return CheckSlice(index);
  }
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
  std::vector<Bytes> cases;
  if (expected != nullptr && expected->kind == TypeKind::kChoice) {
    if (const int number = checked_.choices.Find(expected->choice, name); number >= 0) {
      note.meaning = Meaning::kCase;
      note.number = static_cast<uint16_t>(number);
      note.known.type = *expected;
      note.known.type.option = false;
      return;
    }
    for (const std::string& text : checked_.choices.cases(expected->choice)) cases.push_back(text);
  }
  Report(index, absl::StrCat("there is no `", Shortened(name), "` here"), Suggestion(name, cases));
}

bool ExpressionChecker::IsUnknownName(Index index) const {
  const Expr& expr = ast_.exprs[index];
  return expr.kind == ExprKind::kName && scope_.Find(expr.text) < 0;
}

void ExpressionChecker::CheckUnary(Index index) {
  const Expr& expr = ast_.exprs[index];
  if (expr.op == Operator::kNot) {
    CheckCondition(expr.first);
    known(index).type = BoolType();
    return;
  }
  const Expr& operand = ast_.exprs[expr.first];
  if (operand.kind == ExprKind::kInt && operand.number == static_cast<uint64_t>(kIntMax) + 1) {
    known(expr.first).type =
        IntType(kIntMin, kIntMin);  // the one number whose magnitude is no number
    known(index).type = IntType(kIntMin, kIntMin);
    return;
  }
  const Type type = CheckOpened(expr.first, nullptr).type;
  if (type.is_error()) return;
  if (type.kind != TypeKind::kInt) {
    return Report(index, absl::StrCat("`-` takes a number, and this is ", KindText(type)));
  }
  SetRange(index, -static_cast<absl::int128>(type.high), -static_cast<absl::int128>(type.low));
}

// The bounds of a result; the part out of 64 bits is a fault when it happens.
void ExpressionChecker::SetRange(Index index, absl::int128 low, absl::int128 high) {
  if (low > kIntMax || high < kIntMin) {
    return Report(index, "this number is always out of range", "numbers have 64 bits");
  }
  known(index).type = IntType(static_cast<int64_t>(std::max<absl::int128>(low, kIntMin)),
                              static_cast<int64_t>(std::min<absl::int128>(high, kIntMax)));
}

void ExpressionChecker::CheckBinary(Index index) {
  switch (ast_.exprs[index].op) {
    case Operator::kAnd:
    case Operator::kOr:
      return CheckLogic(index);
    case Operator::kEqual:
    case Operator::kNotEqual:
    case Operator::kLess:
    case Operator::kLessEqual:
    case Operator::kGreater:
    case Operator::kGreaterEqual:
      return CheckComparison(index);
    default:
      return CheckArithmetic(index);
  }
}

void ExpressionChecker::CheckLogic(Index index) {
  CheckCondition(ast_.exprs[index].first);
  CheckCondition(ast_.exprs[index].second);
  known(index).type = BoolType();
}

void ExpressionChecker::CheckComparison(Index index) {
  const Expr& expr = ast_.exprs[index];
  // A case's name is understood by what it is compared with.
  const bool right_first = IsUnknownName(expr.first);
  const Index one = right_first ? expr.second : expr.first;
  const Index two = right_first ? expr.first : expr.second;
  const Type type = Check(one, nullptr).type;
  const Type other = Check(two, &type).type;
  known(index).type = BoolType();
  if (type.is_error() || other.is_error()) return;
  const bool equality = expr.op == Operator::kEqual || expr.op == Operator::kNotEqual;
  if (type.kind == TypeKind::kNone || other.kind == TypeKind::kNone) {
    const Type& tested = type.kind == TypeKind::kNone ? other : type;
    if (!equality) return Report(index, "`none` has no order: compare it with == or !=");
    if (!tested.option) return Report(index, "this is always there, never `none`");
    return;
  }
  if (type.option) return ReportOption(one);
  if (other.option) return ReportOption(two);
  Type joined;
  if (!Join(type, other, &joined)) {
    return Report(index,
                  absl::StrCat("these can not be compared: ", KindText(known(expr.first).type),
                               " and ", KindText(known(expr.second).type)));
  }
  if (!equality && joined.kind != TypeKind::kInt && !joined.is_octets()) {
    Report(index, "these have no order: compare them with == or !=");
  }
}

void ExpressionChecker::CheckArithmetic(Index index) {
  const Expr& expr = ast_.exprs[index];
  const Type a = CheckOpened(expr.first, nullptr).type;
  const Type b = CheckOpened(expr.second, nullptr).type;
  if (a.is_error() || b.is_error()) return;
  if (expr.op == Operator::kAdd && a.is_octets() && b.is_octets()) return CheckConcatenation(index);
  if (a.kind != TypeKind::kInt || b.kind != TypeKind::kInt) {
    return Report(index,
                  absl::StrCat("`", OperatorText(expr.op), "` does not take ", KindText(a), " and ",
                               KindText(b)),
                  expr.op == Operator::kAdd ? "it takes two numbers, or two texts or bytes"
                                            : "it takes two numbers");
  }
  const absl::int128 a_low = a.low, a_high = a.high, b_low = b.low, b_high = b.high;
  switch (expr.op) {
    case Operator::kAdd:
      return SetRange(index, a_low + b_low, a_high + b_high);
    case Operator::kSubtract:
      return SetRange(index, a_low - b_high, a_high - b_low);
    case Operator::kMultiply: {
      const auto [low, high] =
          std::minmax({a_low * b_low, a_low * b_high, a_high * b_low, a_high * b_high});
      return SetRange(index, low, high);
    }
    default:
      break;
  }
  if (b.low == 0 && b.high == 0) return Report(index, "this divides by zero");
  const bool spans_zero = b.low < 0 && b.high > 0;
  if (expr.op == Operator::kDivide) {
    absl::int128 low = -Magnitude(a), high = Magnitude(a);
    if (!spans_zero) QuotientBounds(a, b, &low, &high);
    return SetRange(index, low, high);
  }
  const absl::int128 rest = Magnitude(b) - 1;  // the rest has the dividend's sign
  SetRange(index, a.low < 0 ? std::max(-rest, a_low) : 0, a.high > 0 ? std::min(rest, a_high) : 0);
}

void ExpressionChecker::CheckConcatenation(Index index) {
  const Expr& expr = ast_.exprs[index];
  const Known a = known(expr.first);
  const Known b = known(expr.second);
  const bool bytes = a.type.kind == TypeKind::kBytes || b.type.kind == TypeKind::kBytes;
  Known& sum = known(index);
  sum.type = OctetsType(bytes ? TypeKind::kBytes : TypeKind::kText, a.type.low + b.type.low,
                        a.type.high + b.type.high);
  sum.parts = static_cast<uint32_t>(
      std::min<uint64_t>(uint64_t{a.parts} + b.parts, std::numeric_limits<uint32_t>::max()));
  if (sum.type.high > kValueBytesMax) {
    Report(index, absl::StrCat("this can have ", sum.type.high, " bytes"),
           absl::StrCat("at most ", SizeText(kValueBytesMax), "; narrow the types of its parts"));
  }
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

void ExpressionChecker::CheckCall(Index index) {
  const Expr& expr = ast_.exprs[index];
  for (Index argument = expr.first; argument != kNoIndex; argument = ast_.exprs[argument].next) {
    (void)CheckOpened(argument, nullptr);
  }
  if (std::find(std::begin(kLaterCalls), std::end(kLaterCalls), expr.text) !=
      std::end(kLaterCalls)) {
    return Report(index, NotSupportedYet(expr.text));
  }
  if (expr.text != "size") {
    const Bytes nearest = diagnostics_.Nearest(expr.text, kCalls);
    return Report(index, absl::StrCat("there is no function `", Shortened(expr.text), "`"),
                  nearest.empty() ? "" : absl::StrCat("did you mean `", nearest, "`?"));
  }
  if (expr.first == kNoIndex || ast_.exprs[expr.first].next != kNoIndex) {
    return Report(index, "`size` takes one text or bytes");
  }
  const Type type = known(expr.first).type;
  if (type.is_error()) return;
  if (!type.is_octets()) {
    return Report(index,
                  absl::StrCat("`size` takes a text or bytes, and this is ", KindText(type)));
  }
  known(index).type = IntType(type.low, type.high);
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
