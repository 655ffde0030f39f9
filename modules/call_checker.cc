#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "modules/expression_checker.h"

// The part of the expression checker for calls of functions.

namespace pure::modules {
namespace {

constexpr Bytes kCalls[] = {"count", "max", "min", "size"};

}  // namespace

void ExpressionChecker::CheckCall(Index index) {
  const Expr& expr = ast_.exprs[index];
  for (size_t i = 0; i < checked_.functions.size(); ++i) {
    if (checked_.functions[i].name == expr.text) {
      return CheckFunction(index, static_cast<uint16_t>(i));
    }
  }
  for (Index argument = expr.first; argument != kNoIndex; argument = ast_.exprs[argument].next) {
    (void)CheckOpened(argument, nullptr);
  }
  if (expr.text == "size") return CheckSize(index);
  if (expr.text == "count") return CheckCount(index);
  if (expr.text == "min" || expr.text == "max") return CheckLeast(index);
  std::vector<Bytes> names(std::begin(kCalls), std::end(kCalls));
  for (const CheckedFunction& function : checked_.functions) names.push_back(function.name);
  const Bytes nearest = diagnostics_.Nearest(expr.text, names);
  Report(index, absl::StrCat("there is no function `", Shortened(expr.text), "`"),
         nearest.empty() ? "" : absl::StrCat("did you mean `", nearest, "`?"));
}

bool ExpressionChecker::CheckArgumentCount(Index index, size_t count) {
  size_t given = 0;
  for (Index argument = ast_.exprs[index].first; argument != kNoIndex;
       argument = ast_.exprs[argument].next) {
    ++given;
  }
  if (given == count) return true;
  Report(index,
         absl::StrCat("`", ast_.exprs[index].text, "` takes ", count,
                      count == 1 ? " value, and here are " : " values, and here are ", given));
  return false;
}

void ExpressionChecker::CheckFunction(Index index, uint16_t number) {
  const std::vector<Type> parameters = checked_.functions[number].parameters;
  ExprNote& note = checked_.exprs[index];
  note.meaning = Meaning::kFunction;
  note.number = number;
  note.known = KnownOf(checked_.functions[number].type);
  size_t i = 0;
  for (Index argument = ast_.exprs[index].first; argument != kNoIndex;
       argument = ast_.exprs[argument].next, ++i) {
    if (i < parameters.size()) {
      CheckInto(argument, parameters[i], "this argument");
    } else {
      (void)Check(argument, nullptr);
    }
  }
  (void)CheckArgumentCount(index, parameters.size());
}

void ExpressionChecker::CheckSize(Index index) {
  const Expr& expr = ast_.exprs[index];
  if (expr.first == kNoIndex || ast_.exprs[expr.first].next != kNoIndex) {
    return Report(index, "`size` takes one text or bytes");
  }
  const Type type = known(expr.first).type;
  if (type.is_error()) return;
  if (!type.is_octets()) {
    return Report(index, absl::StrCat("`size` takes a text or bytes, and this is ", KindText(type)),
                  type.is_collection() ? "`count` tells how many elements there are" : "");
  }
  known(index).type = IntType(type.low, type.high);
}

void ExpressionChecker::CheckCount(Index index) {
  if (!CheckArgumentCount(index, 1)) return;
  const Type type = known(ast_.exprs[index].first).type;
  if (type.is_error()) return;
  if (!type.is_collection()) {
    return Report(index,
                  absl::StrCat("`count` takes a list or the like, and this is ", KindText(type)),
                  type.is_octets() ? "`size` tells how many bytes there are" : "");
  }
  known(index).type = IntType(0, type.high);
}

// min(a, b), max(a, b)
void ExpressionChecker::CheckLeast(Index index) {
  if (!CheckArgumentCount(index, 2)) return;
  const Expr& expr = ast_.exprs[index];
  const Type a = known(expr.first).type;
  const Type b = known(ast_.exprs[expr.first].next).type;
  if (a.is_error() || b.is_error()) return;
  if (a.kind != b.kind || !a.is_number() || a.kind == TypeKind::kChoice) {
    return Report(index, absl::StrCat("`", expr.text, "` takes two numbers or two times, not ",
                                      KindText(a), " and ", KindText(b)));
  }
  known(index) = KnownOf(a);
  const bool least = expr.text == "min";
  known(index).type.low = least ? std::min(a.low, b.low) : std::max(a.low, b.low);
  known(index).type.high = least ? std::min(a.high, b.high) : std::max(a.high, b.high);
}

}  // namespace pure::modules
