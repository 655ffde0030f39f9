#pragma once

// Checks one message: its parameters and faults, and its statements along the flow.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/base/attributes.h"
#include "modules/ast.h"
#include "modules/checker.h"
#include "modules/diagnostics.h"
#include "modules/expression_checker.h"
#include "modules/scope.h"

namespace pure::modules {

class MessageChecker {
 public:
  // All are borrowed for its own life. checked->document has its types.
  MessageChecker(const Ast& ast ABSL_ATTRIBUTE_LIFETIME_BOUND,
                 Checked* checked ABSL_ATTRIBUTE_LIFETIME_BOUND,
                 Diagnostics* diagnostics ABSL_ATTRIBUTE_LIFETIME_BOUND)
      : ast_(ast),
        checked_(*checked),
        diagnostics_(*diagnostics),
        expressions_(ast, checked, &scope_, diagnostics) {}

  // `parameter_types`: of node.parameters, resolved. Fills *message, and adds its faults to the
  // module's.
  void Check(const MessageNode& node, const Name& key, absl::Span<const Type> parameter_types,
             CheckedMessage* message);

 private:
  void AddFault(const FaultNode& fault);
  void AddParameter(const ParameterNode& parameter, const Type& type);
  void CheckShape(const MessageNode& node);
  void CheckBlock(Index first);
  void CheckStatement(Index index);
  void CheckLet(Index index);
  void CheckAssign(Index index);
  void CheckValueAssign(const Stmt& stmt, uint16_t slot);
  void CheckRequire(const Stmt& stmt);
  void CheckIf(const Stmt& stmt);
  void CheckReply(const Stmt& stmt);
  void CheckShownReply(const Stmt& stmt, const Known& answer);
  Known CheckAlternative(const Known& option, const Stmt& stmt);
  bool ResolveFault(Index expr);
  int FindFault(Bytes name) const;
  bool CheckNewName(const Name& name);
  std::string FirstAt(uint32_t offset) const;

  const Ast& ast_;
  Checked& checked_;
  Diagnostics& diagnostics_;
  Scope scope_;
  ExpressionChecker expressions_;
  CheckedMessage* message_ = nullptr;
  std::vector<Bytes> fault_names_;       // declared by this message
  std::vector<uint16_t> fault_numbers_;  // which of the module's faults they are
  bool ended_ = false;                   // nothing that follows here runs
};

}  // namespace pure::modules
