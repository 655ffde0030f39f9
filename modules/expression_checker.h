#pragma once

// Checks expressions: gives each node its type with bounds, by interval arithmetic, and reports
// what can not be.

#include <functional>
#include <string>
#include <utility>

#include "absl/base/attributes.h"
#include "absl/numeric/int128.h"
#include "modules/ast.h"
#include "modules/checker.h"
#include "modules/diagnostics.h"
#include "modules/scope.h"

namespace pure::modules {

class ExpressionChecker {
 public:
  // All are borrowed for its own life; notes go to checked->exprs.
  ExpressionChecker(const Ast& ast ABSL_ATTRIBUTE_LIFETIME_BOUND,
                    Checked* checked ABSL_ATTRIBUTE_LIFETIME_BOUND,
                    Scope* scope ABSL_ATTRIBUTE_LIFETIME_BOUND,
                    Diagnostics* diagnostics ABSL_ATTRIBUTE_LIFETIME_BOUND)
      : ast_(ast), checked_(*checked), scope_(*scope), diagnostics_(*diagnostics) {}

  // Asked for each call and field before anything else: true when it has noted what the node is.
  void OnCall(std::function<bool(Index expr)> note) { note_call_ = std::move(note); }

  // Checks a tree and returns what is known of its value. `expected`, may be null: the type that is
  // wanted, by which names of cases are understood.
  const Known& Check(Index expr, const Type* expected);

  // As Check, and the value must be there: not an option.
  const Known& CheckOpened(Index expr, const Type* expected);

  // As Check, and the value is to become one of type `wanted`: what does not go with it, or never
  // fits its bounds, is reported. `what`: what wants it, for the error.
  void CheckInto(Index expr, Type wanted, Bytes what);

  // Checks a clause and gives its names slots; they are in scope until the caller shrinks it.
  // False: its source is nothing with elements; reported.
  bool CheckClause(Index clause);

  // As Check, for a condition.
  void CheckCondition(Index expr);

  // "`x` may be absent here", with a way to open it.
  void ReportOption(Index expr);

  // What `name` resembles among the values in scope and `more`: "did you mean ...?", or empty.
  std::string Suggestion(Bytes name, absl::Span<const Bytes> more) const;

 private:
  void CheckNode(Index index, const Type* expected);
  void CheckName(Index index, const Type* expected);
  void CheckText(Index index, const Type* expected);
  void CheckInt(Index index);
  void CheckUnary(Index index);
  void CheckBinary(Index index);
  void CheckHas(Index index);
  void CheckLogic(Index index);
  void CheckComparison(Index index);
  void CheckArithmetic(Index index);
  void CheckConcatenation(Index index);
  void CheckIf(Index index, const Type* expected);
  void CheckCall(Index index);
  void CheckSize(Index index);
  void CheckCount(Index index);
  void CheckLeast(Index index);
  void CheckFunction(Index index, uint16_t number);
  bool CheckArgumentCount(Index index, size_t count);
  void CheckTimes(Index index, const Type& a, const Type& b);
  void CheckField(Index index);
  void CheckIndex(Index index);
  void CheckRecord(Index index, const Type* expected);
  void CheckRecordAs(Index index, const Type& record);
  void CheckList(Index index, const Type* expected);
  void CheckElse(Index index, const Type* expected);
  void CheckEach(Index index, const Type* expected);
  void CheckFold(Index index, const ClauseNote& note, const Type* expected);
  void AddClauseNames(const ClauseNode& clause, const Type& source, ClauseNote* note);
  void CheckSlice(Index index);
  const Type* CheckOffset(Index index);
  bool IsUnknownName(Index index) const;
  void Report(Index index, std::string what, std::string help = "");
  void SetRange(Index index, absl::int128 low, absl::int128 high);
  Known& known(Index index) { return checked_.exprs[index].known; }

  const Ast& ast_;
  Checked& checked_;
  Scope& scope_;
  Diagnostics& diagnostics_;
  std::function<bool(Index expr)> note_call_;
};

}  // namespace pure::modules
