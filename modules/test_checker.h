#pragma once

// Checks a module's tests: calls of inputs, views and messages with arguments by name, and what is
// expected of their answers and of the states.

#include <vector>

#include "absl/base/attributes.h"
#include "modules/ast.h"
#include "modules/checker.h"
#include "modules/diagnostics.h"
#include "modules/expression_checker.h"
#include "modules/scope.h"

namespace pure::modules {

class TestChecker {
 public:
  TestChecker(const Ast& ast ABSL_ATTRIBUTE_LIFETIME_BOUND,
              Checked* checked ABSL_ATTRIBUTE_LIFETIME_BOUND,
              Diagnostics* diagnostics ABSL_ATTRIBUTE_LIFETIME_BOUND);

  CheckedTest Check(const TestItem& item);

 private:
  CheckedStep CheckStep(const Stmt& stmt);
  bool NoteCall(Index expr);
  bool NoteDocument(Index expr);
  void CheckArguments(Index expr, Index first, const std::vector<CheckedParameter>& parameters,
                      CheckedCall* call);
  void Answer(Index expr, const Type& type, CheckedCall call);
  void CheckFault(const Stmt& stmt);

  const Ast& ast_;
  Checked& checked_;
  Diagnostics& diagnostics_;
  Scope scope_;
  ExpressionChecker expressions_;
  CheckedStep* step_ = nullptr;
};

}  // namespace pure::modules
