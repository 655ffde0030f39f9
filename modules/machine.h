#pragma once

// Machine: runs the instructions of one handler over its registers. It knows no store and no HTTP.
//
// Thread: one thread's. Lifetime: borrows plan and arena for its own life; registers point into
// what they were filled from, and what they read of states stays until Forget. Cost: joins, ranges
// of texts and rows come from the arena; a change of a collection allocates its new nodes.
// Every run ends: jumps go forward, and around a clause once for each element.

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/types/span.h"
#include "modules/arena.h"
#include "modules/clause.h"
#include "modules/octets.h"
#include "modules/plan.h"
#include "modules/register.h"
#include "modules/rows/row.h"
#include "modules/rows/rows.h"
#include "runtime/bytes.h"
#include "runtime/result.h"

namespace pure::modules {

// How a run ended.
struct Ending {
  Result result = Result::kOk;  // kOk; kFault; kLimit or kAllocation: the arena could not take it
  uint16_t fault = 0;           // kFault: the module's
  Op answer = Op::kReplyNone;   // kOk: one of kReply...
  uint16_t type = 0;            // kReplyJson: of the pool; kReplyCase: the choice's shape
  const Register* value = nullptr;  // of the answer; valid until the next run
  bool assigned = false;            // the document's value was assigned; it is register kValueSlot
};

class Machine {
 public:
  Machine(const Plan* plan ABSL_ATTRIBUTE_LIFETIME_BOUND,
          Arena* arena ABSL_ATTRIBUTE_LIFETIME_BOUND);

  // Filled before a run: value, revision, key and parameters, as scope.h places them.
  Register& at(uint16_t index) { return registers_[index]; }

  // `next_revision`: what `revision` reads after the value was assigned. `states`: by number; what
  // the handler stores is put there.
  Ending Run(const PlanHandler& handler, uint64_t next_revision, absl::Span<Rows> states);

  // What kReplyPage answers; valid until the next run.
  Bytes page() const ABSL_ATTRIBUTE_LIFETIME_BOUND { return page_; }

  // Lets go of what registers may point to. Answers are rendered before.
  void Forget();

 private:
  // What a step leads to besides the next instruction.
  enum class Step : uint8_t { kNext, kOverflow, kDivide, kFull, kType, kRange, kNoRoom };

  Step Compute(const Instruction& instruction);
  Step ComputeOctets(const Instruction& instruction);
  Step Slice(const Instruction& instruction);
  Step ComputeRows(const Instruction& instruction);
  Step MakeRow(const Instruction& instruction);
  Step SetField(const Instruction& instruction);
  Step ReadField(const Instruction& instruction);
  Step FindRow(const Instruction& instruction);
  Step PutRow(const Instruction& instruction);
  Step Push(const Instruction& instruction);
  Step DropMarked(const Instruction& instruction);
  Step SetRow(Register* target, Bytes row);
  Step Flatten(const Register& value, Octets* octets);
  Step FieldOf(const Register& value, bool is_octets, Field* field);
  Step Encode(absl::Span<const Field> fields, Register* target);
  Bytes KeyOf(const Register& value, bool is_octets, int64_t* number, bool* made);
  Rows* NewVersion(Register* collection);
  Step RunState(const Instruction& instruction);
  void Begin(const Instruction& instruction);
  bool Next(const Instruction& instruction, Step* step);
  Step Collect(const Instruction& instruction);
  void Sort(const Instruction& instruction);
  Step EmitValue(const Instruction& instruction);
  Step CheckCut(const Register& text, int64_t at) const;
  Step Divide(const Instruction& instruction);
  static bool Jumps(const Instruction& instruction, const Register& tested);
  Ending End(const PlanHandler& message, Step step) const;

  const Plan& plan_;
  Arena& arena_;
  std::vector<Register> registers_;
  std::vector<Clause> clauses_;
  absl::Span<Rows> states_;
  std::deque<Rows> versions_;  // that registers may point to
  std::vector<Field> fields_;  // of the row at hand
  std::string page_;
};

}  // namespace pure::modules
