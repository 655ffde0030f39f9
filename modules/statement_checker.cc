#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "modules/handler_checker.h"
#include "modules/json_bounds.h"
#include "modules/limits.h"
#include "modules/templates/escape.h"
#include "modules/templates/formats.h"

// The half of the handler checker that checks clauses, changes of collections, and templates.

namespace pure::modules {
namespace {

constexpr int64_t kNumberBytesMax = 20;

// Of a hole.
absl::int128 ShownBytesMax(const Type& type, Escape escape) {
  if (type.kind == TypeKind::kTime || type.kind == TypeKind::kSpan) return kFormatBytesMax;
  const int64_t bytes = type.is_octets()                 ? type.high
                        : type.kind == TypeKind::kChoice ? static_cast<int64_t>(kNameBytesMax)
                                                         : kNumberBytesMax;
  if (escape == Escape::kPlain) return bytes;
  return absl::int128(bytes) * kEscapeFactorMax + kEscapeExtraMax;
}

}  // namespace

// A loop runs any number of times, so what it assigns is known by its kind alone in it.
void HandlerChecker::WidenAssigned(Index first) {
  for (Index index = first; index != kNoIndex; index = ast_.stmts[index].next) {
    const Stmt& stmt = ast_.stmts[index];
    if (stmt.kind == StmtKind::kAssign || stmt.kind == StmtKind::kCall) {
      if (const int slot = scope_.Find(stmt.name.text); slot >= 0) {
        Known& known = scope_.at(static_cast<uint16_t>(slot)).known;
        if (known.type.kind == TypeKind::kInt) {
          known.type.low = AnyIntType().low;
          known.type.high = AnyIntType().high;
        }
        if (known.type.is_octets()) known.type.low = 0;
      }
    }
    WidenAssigned(stmt.body);
    WidenAssigned(stmt.other);
  }
}

// for clause block; change clause block [else fault]; drop clause.
void HandlerChecker::CheckLoop(Index index) {
  const Stmt& stmt = ast_.stmts[index];
  if (scope_.size() + 2u > kLocalsMax) {
    return diagnostics_.Add(stmt.offset, "there are too many values with a name at one place");
  }
  const uint16_t size = scope_.size();
  ++loops_;
  WidenAssigned(stmt.body);
  const bool sound = expressions_.CheckClause(stmt.clause);
  if (sound && stmt.kind != StmtKind::kFor) CheckSourceIsPlace(stmt);
  if (sound) CheckLoopBody(stmt, checked_.clauses[stmt.clause]);
  --loops_;
  scope_.Shrink(size);
  if (stmt.alternative != kNoIndex && !ResolveFault(stmt.alternative)) {
    diagnostics_.Add(ast_.exprs[stmt.alternative].start, "the name of a fault stands here",
                     "for when there is no such element");
  }
}

void HandlerChecker::CheckLoopBody(const Stmt& stmt, const ClauseNote& note) {
  const bool changes = stmt.kind == StmtKind::kChange;
  if (changes) {
    scope_.at(note.second).assignable = true;
    Index root = ast_.clauses[stmt.clause].source;
    while (ast_.exprs[root].kind == ExprKind::kField) root = ast_.exprs[root].first;
    changing_.push_back(ast_.exprs[root].text);
  }
  const uint64_t around =
      std::exchange(around_, static_cast<uint64_t>(std::min<absl::uint128>(
                                 absl::uint128(around_) * note.taken, uint64_t{1} << 40)));
  const std::vector<Known> before = scope_.Save();
  const bool ended_before = ended_;
  CheckBlock(stmt.body);
  // It may also run not at all.
  ended_ = ended_before;
  around_ = around;
  if (changes) changing_.pop_back();
  scope_.JoinWith(before);
  if (stmt.has_other) {
    CheckBlock(stmt.other);
    ended_ = ended_before;
    scope_.JoinWith(before);
  }
}

// What is changed or dropped from is a list that may be changed.
void HandlerChecker::CheckSourceIsPlace(const Stmt& stmt) {
  const ClauseNode& clause = ast_.clauses[stmt.clause];
  if (!CheckPlace(clause.source)) return;
  const Type source = checked_.exprs[clause.source].known.type;
  if (stmt.kind == StmtKind::kChange && source.kind == TypeKind::kSet) {
    diagnostics_.Add(clause.offset, "what is in a set can not be changed");
  }
}

// place.push(x), place.put(key, x), place.remove(key), place.clear()
void HandlerChecker::CheckMethod(Index index) {
  const Stmt& stmt = ast_.stmts[index];
  std::vector<Index> arguments;
  for (Index at = stmt.expr; at != kNoIndex; at = ast_.exprs[at].next) arguments.push_back(at);
  const auto give_up = [&] {
    for (Index argument : arguments) (void)expressions_.Check(argument, nullptr);
  };
  if (!CheckPlace(stmt.place)) return give_up();
  const Type type = checked_.exprs[stmt.place].known.type;
  const bool line = type.kind == TypeKind::kList || type.kind == TypeKind::kRing;
  const Bytes name = stmt.name.text;
  size_t wanted = 1;
  if (name == "clear") wanted = 0;
  if (name == "put" && type.kind == TypeKind::kMap) wanted = 2;
  const bool has = type.is_collection() && (name == "clear" || name == "remove" ||
                                            (name == "push" && line) || (name == "put" && !line));
  if (!has) {
    diagnostics_.Add(stmt.name.offset,
                     absl::StrCat(KindText(type), " has no `", Shortened(name), "`"),
                     "lists and rings have push, remove and clear; maps and sets put, remove and "
                     "clear");
    return give_up();
  }
  if (arguments.size() != wanted) {
    diagnostics_.Add(stmt.name.offset,
                     absl::StrCat("`", name, "` takes ", wanted, " values here, and here are ",
                                  arguments.size()));
    return give_up();
  }
  if (wanted == 0) return;
  const Type& element = checked_.shapes.element(type);
  if (name == "push") return expressions_.CheckInto(arguments[0], element, "an element");
  if (line) return expressions_.CheckInto(arguments[0], AnyIntType(), "an index");
  const Type key = type.kind == TypeKind::kMap ? checked_.shapes.key(type) : element;
  const Type value = element;
  expressions_.CheckInto(arguments[0], key, type.kind == TypeKind::kMap ? "the key" : "an element");
  if (wanted == 2) expressions_.CheckInto(arguments[1], value, "the value");
}

// {expr} or {expr:format}
void HandlerChecker::CheckHole(const Stmt& stmt) {
  const Type type = expressions_.CheckOpened(stmt.expr, nullptr).type;
  if (type.is_error()) return;
  const bool shown =
      type.is_number() || type.kind == TypeKind::kText || type.kind == TypeKind::kSlug;
  if (!shown) {
    return diagnostics_.Add(
        ast_.exprs[stmt.expr].offset,
        absl::StrCat("a hole shows a text, a number or a time, and this is ", KindText(type)));
  }
  const Bytes format = stmt.name.text;
  const bool known = format == "iso" || format == "date" || format == "time";
  if (!format.empty() && (!known || type.kind != TypeKind::kTime)) {
    diagnostics_.Add(
        stmt.name.offset,
        absl::StrCat("there is no format `", Shortened(format), "` for ", KindText(type)),
        "times are shown as iso, date or time");
  }
  page_bytes_ += ShownBytesMax(type, stmt.escape) * around_;
}

}  // namespace pure::modules
