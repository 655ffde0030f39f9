#pragma once

// Compiles one message, input or view, or what a state is at first. Names have the registers of
// their slots, and what an expression needs on its way has those above.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/functional/function_ref.h"
#include "modules/ast.h"
#include "modules/checker.h"
#include "modules/diagnostics.h"
#include "modules/plan.h"
#include "modules/pools.h"

namespace pure::modules {

class HandlerCompiler {
 public:
  // All are borrowed for its own life.
  HandlerCompiler(const Ast& ast ABSL_ATTRIBUTE_LIFETIME_BOUND,
                  const Checked& checked ABSL_ATTRIBUTE_LIFETIME_BOUND,
                  Pools* pools ABSL_ATTRIBUTE_LIFETIME_BOUND,
                  Diagnostics* diagnostics ABSL_ATTRIBUTE_LIFETIME_BOUND)
      : ast_(ast), checked_(checked), pools_(*pools), diagnostics_(*diagnostics) {}

  void Compile(const CheckedHandler& handler, PlanHandler* plan);
  void CompileFirst(uint16_t state, PlanHandler* plan);
  // The arguments of a call of a test, into the registers from *first on.
  void CompileArguments(const CheckedStep& step, const CheckedCall& call, PlanHandler* plan,
                        uint16_t* first);
  void CompileCondition(const CheckedStep& step, PlanHandler* plan);

  uint16_t clauses() const { return clauses_max_; }

 private:
  static constexpr uint16_t kOpenFunctionsMax = 32;
  static constexpr uint64_t kStepsBeyond = 1'000'000'000'000;  // nobody counts further

  void CompileBlock(Index first);
  void CompileStatement(Index index);
  void CompileAssign(Index index);
  void AssignValue(const Stmt& stmt);
  void CompilePlace(Index place, absl::FunctionRef<void(uint16_t value)> change);
  void CompileMethod(const Stmt& stmt);
  void Edit(const Stmt& stmt, const Type& collection, uint16_t sequence);
  void CompileFor(const Stmt& stmt);
  void CompileChange(const Stmt& stmt);
  void CompileDrop(const Stmt& stmt);
  void CompileHole(const Stmt& stmt);
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
  void CallInto(Index index, uint16_t target);
  void FunctionInto(Index index, uint16_t target);
  void FieldInto(Index index, uint16_t target);
  void IndexInto(Index index, uint16_t target);
  void RecordInto(Index index, uint16_t target);
  void ListInto(Index index, uint16_t target);
  void ElseInto(Index index, uint16_t target);
  void EachInto(Index index, uint16_t target);
  void Gather(Index index, uint16_t target, uint16_t loop);

  // As Into, and the value is checked to be one of type `wanted`.
  void IntoAs(Index index, const Type& wanted, uint16_t target);
  uint16_t ValueAs(Index index, const Type& wanted);
  void CheckAs(const Type& type, const Type& wanted, uint16_t target);

  // The register of the row that stands for a value in a collection.
  uint16_t RowOf(const Type& element, uint16_t value);
  // target = the value that the row stands for.
  void FromRow(const Type& collection, uint16_t row, uint16_t target);
  void LoadState(uint16_t state, uint16_t target);
  void StoreState(uint16_t state, uint16_t value);

  // Compiles a clause, with `body` for each of its elements, whose names have their slots then.
  struct Element {
    uint16_t row = 0;    // registers of its row,
    uint16_t place = 0;  // and of its index in the collection
  };
  struct Around {
    bool negated = false;                   // the elements that the condition does not hold for
    std::vector<size_t>* leaves = nullptr;  // jumps out of it, which land behind it
  };
  void Loop(Index clause, const Around& around, absl::FunctionRef<void(const Element& at)> body);
  void LoopElement(Index clause, uint16_t row);
  static bool IsRow(const Type& element) {
    return element.kind == TypeKind::kRecord && !element.option;
  }
  static uint16_t OctetsFlag(const Type& type) { return type.is_number() ? 0 : 1; }

  uint16_t NewTemporary();
  uint16_t Number(int64_t value);
  uint16_t Text(const std::string& value);
  size_t Emit(Op op, uint16_t a, uint16_t b, uint16_t c, uint64_t steps, uint16_t d = 0);
  void Start(PlanHandler* plan, uint16_t slots);
  void Finish(const Name& name, Bytes what);
  uint16_t LayoutOf(const Layout& layout);
  uint16_t RecordLayout(const Type& record);
  void Land(size_t jump);
  void Raise(BuiltinFault fault);
  void RaiseNumber(uint16_t fault);
  uint64_t LongestPath() const;
  static uint64_t OctetSteps(const Type& type);
  const Known& known(Index expr) const { return checked_.exprs[expr].known; }

  const Ast& ast_;
  const Checked& checked_;
  Pools& pools_;
  Diagnostics& diagnostics_;
  PlanHandler* plan_ = nullptr;
  std::vector<uint64_t> steps_;  // of each instruction, as often as it may run
  uint64_t around_ = 1;          // how often the next one may run
  uint16_t slots_ = 0;           // where the slots of the function at hand begin; 0: the handler's
  uint16_t next_temporary_ = 0;
  uint16_t open_functions_ = 0;  // calls inside of calls
  uint16_t open_clauses_ = 0;
  uint16_t clauses_max_ = 0;
  bool too_large_ = false;
};

}  // namespace pure::modules
