#pragma once

// Checks one message, input or view: its parameters and faults, and its statements along the flow.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/numeric/int128.h"
#include "modules/ast.h"
#include "modules/checker.h"
#include "modules/diagnostics.h"
#include "modules/expression_checker.h"
#include "modules/scope.h"

namespace pure::modules {

class HandlerChecker {
 public:
  // All are borrowed for its own life. checked->document has its types.
  HandlerChecker(const Ast& ast ABSL_ATTRIBUTE_LIFETIME_BOUND,
                 Checked* checked ABSL_ATTRIBUTE_LIFETIME_BOUND,
                 Diagnostics* diagnostics ABSL_ATTRIBUTE_LIFETIME_BOUND)
      : ast_(ast),
        checked_(*checked),
        diagnostics_(*diagnostics),
        expressions_(ast, checked, &scope_, diagnostics) {}

  // `key`: the name of a message's key; else empty. `parameter_types`: of node.parameters,
  // resolved. Fills *handler, and adds its faults to the module's.
  void Check(const HandlerNode& node, const Name& key, absl::Span<const Type> parameter_types,
             CheckedHandler* handler);

 private:
  void AddFault(const FaultNode& fault);
  void AddParameter(const ParameterNode& parameter, const Type& type);
  void AddFixed(const HandlerNode& node, const Name& key);
  void CheckShape(const HandlerNode& node);
  void CheckBlock(Index first);
  void CheckStatement(Index index);
  void CheckLet(Index index);
  void CheckAssign(Index index);
  void CheckNameAssign(const Stmt& stmt, uint16_t slot);
  void CheckValueAssign(const Stmt& stmt, uint16_t slot);
  bool CheckPlace(Index place);
  void CheckMethod(Index index);
  void CheckPut(const Stmt& stmt, const Type& collection);
  void CheckLoop(Index index);
  void CheckLoopBody(const Stmt& stmt, const ClauseNote& note);
  void CheckSourceIsPlace(const Stmt& stmt);
  void CheckSee(const Stmt& stmt);
  void CheckHole(const Stmt& stmt);
  void WidenAssigned(Index first);
  void CheckRequire(const Stmt& stmt);
  void CheckIf(const Stmt& stmt);
  void CheckReply(const Stmt& stmt);
  void CheckViewReply(const Stmt& stmt, const Known& answer);
  void CheckPage(const HandlerNode& node);
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
  CheckedHandler* handler_ = nullptr;
  std::vector<Bytes> fault_names_;       // declared by this message
  std::vector<uint16_t> fault_numbers_;  // which of the module's faults they are
  bool ended_ = false;                   // nothing that follows here runs
  int loops_ = 0;                        // that are open here
  std::vector<Bytes> changing_;          // roots of what is gone over to be changed
  uint64_t around_ = 1;                  // how often what follows here may run
  absl::int128 page_bytes_ = 0;          // of the template so far, at most
};

}  // namespace pure::modules
