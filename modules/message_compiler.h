#pragma once

// Compiles one message. Names have the registers of their slots, and what an expression needs on
// its way has those above.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/base/attributes.h"
#include "modules/ast.h"
#include "modules/checker.h"
#include "modules/diagnostics.h"
#include "modules/plan.h"
#include "modules/pool.h"

namespace pure::modules {

class MessageCompiler {
 public:
  // All are borrowed for its own life.
  MessageCompiler(const Ast& ast ABSL_ATTRIBUTE_LIFETIME_BOUND,
                  const Checked& checked ABSL_ATTRIBUTE_LIFETIME_BOUND,
                  Pool<int64_t>* numbers ABSL_ATTRIBUTE_LIFETIME_BOUND,
                  Pool<std::string>* texts ABSL_ATTRIBUTE_LIFETIME_BOUND,
                  Diagnostics* diagnostics ABSL_ATTRIBUTE_LIFETIME_BOUND)
      : ast_(ast),
        checked_(checked),
        numbers_(*numbers),
        texts_(*texts),
        diagnostics_(*diagnostics) {}

  void Compile(const CheckedMessage& message, PlanMessage* plan);

 private:
  void CompileBlock(Index first);
  void CompileStatement(Index index);
  void CompileAssign(const Stmt& stmt, uint16_t slot);
  void CompileReply(const Stmt& stmt);
  void CompileOpened(const Stmt& stmt, uint16_t target);
  void CompileFault(Index alternative);

  uint16_t Value(Index expr);
  void Into(Index expr, uint16_t target);
  void UnaryInto(Index index, uint16_t target);
  void BinaryInto(Index index, uint16_t target);
  void LogicInto(Index index, uint16_t target);
  void ComparisonInto(Index index, uint16_t target);
  void PresenceInto(Index index, uint16_t target);
  void IfInto(Index index, uint16_t target);
  void SliceInto(Index index, uint16_t target);

  uint16_t NewTemporary();
  uint16_t Number(int64_t value);
  uint16_t Text(const std::string& value);
  size_t Emit(Op op, uint16_t a, uint16_t b, uint16_t c, uint64_t steps);
  void Land(size_t jump);
  void Raise(BuiltinFault fault);
  void RaiseNumber(uint16_t fault);
  uint64_t LongestPath() const;
  static uint64_t OctetSteps(const Type& type);
  const Known& known(Index expr) const { return checked_.exprs[expr].known; }

  const Ast& ast_;
  const Checked& checked_;
  Pool<int64_t>& numbers_;
  Pool<std::string>& texts_;
  Diagnostics& diagnostics_;
  PlanMessage* plan_ = nullptr;
  std::vector<uint64_t> steps_;  // of each instruction
  uint16_t next_temporary_ = 0;
  bool too_large_ = false;
};

}  // namespace pure::modules
