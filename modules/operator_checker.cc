#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "modules/expression_checker.h"

// The part of the expression checker for operators.

namespace pure::modules {
namespace {

constexpr int64_t kIntMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kIntMax = std::numeric_limits<int64_t>::max();

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
  if (type.kind == TypeKind::kSpan) {
    known(index) = KnownOf(type);
    return;
  }
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
    case Operator::kHas:
      return CheckHas(index);
    default:
      return CheckArithmetic(index);
  }
}

// Whether a text stands in another.
void ExpressionChecker::CheckHas(Index index) {
  const Type a = CheckOpened(ast_.exprs[index].first, nullptr).type;
  const Type b = CheckOpened(ast_.exprs[index].second, nullptr).type;
  known(index).type = BoolType();
  // A search may look at each place of the one for each octet of the other.
  if (note_call_ == nullptr) return Report(index, "`has` stands in tests only");
  if (a.is_error() || b.is_error() || (a.is_octets() && b.is_octets())) return;
  Report(index, absl::StrCat("`has` takes two texts, not ", KindText(a), " and ", KindText(b)));
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
  if (joined.kind == TypeKind::kRecord || joined.is_collection()) {
    return Report(index, "records and collections are compared by their fields and elements");
  }
  const bool ordered = joined.is_octets() || joined.kind == TypeKind::kInt ||
                       joined.kind == TypeKind::kTime || joined.kind == TypeKind::kSpan;
  if (!equality && !ordered) Report(index, "these have no order: compare them with == or !=");
}

void ExpressionChecker::CheckArithmetic(Index index) {
  const Expr& expr = ast_.exprs[index];
  const Type a = CheckOpened(expr.first, nullptr).type;
  const Type b = CheckOpened(expr.second, nullptr).type;
  if (a.is_error() || b.is_error()) return;
  if (expr.op == Operator::kAdd && a.is_octets() && b.is_octets()) return CheckConcatenation(index);
  const auto is_time = [](const Type& type) {
    return type.kind == TypeKind::kTime || type.kind == TypeKind::kSpan;
  };
  if (is_time(a) || is_time(b)) return CheckTimes(index, a, b);
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

// time - time is a span, time and span make a time, spans add up, and are multiplied and divided.
void ExpressionChecker::CheckTimes(Index index, const Type& a, const Type& b) {
  const Operator op = ast_.exprs[index].op;
  const bool sum = op == Operator::kAdd;
  const bool difference = op == Operator::kSubtract;
  const auto is = [&a, &b](TypeKind first, TypeKind second) {
    return a.kind == first && b.kind == second;
  };
  TypeKind result = TypeKind::kError;
  if (is(TypeKind::kTime, TypeKind::kTime) && difference) {
    result = TypeKind::kSpan;
  } else if (is(TypeKind::kTime, TypeKind::kSpan) && (sum || difference)) {
    result = TypeKind::kTime;
  } else if (is(TypeKind::kSpan, TypeKind::kTime) && sum) {
    result = TypeKind::kTime;
  } else if (is(TypeKind::kSpan, TypeKind::kSpan)) {
    if (sum || difference || op == Operator::kModulo) result = TypeKind::kSpan;
    if (op == Operator::kDivide) result = TypeKind::kInt;
  } else if (is(TypeKind::kSpan, TypeKind::kInt)) {
    if (op == Operator::kMultiply || op == Operator::kDivide) result = TypeKind::kSpan;
  } else if (is(TypeKind::kInt, TypeKind::kSpan) && op == Operator::kMultiply) {
    result = TypeKind::kSpan;
  }
  if (result == TypeKind::kError) {
    return Report(index, absl::StrCat("`", OperatorText(op), "` does not take ", KindText(a),
                                      " and ", KindText(b)));
  }
  known(index) = KnownOf(result == TypeKind::kInt ? AnyIntType() : TypeOfKind(result));
}

}  // namespace pure::modules
