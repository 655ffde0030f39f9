#pragma once

// Machine: runs the instructions of one message over its registers. It knows no store and no HTTP.
//
// Thread: one thread's. Lifetime: borrows plan and arena for its own life; registers point into
// what they were filled from. Cost: no allocation but joins and ranges of texts, from the arena.
// Every run ends: jumps go forward only.

#include <cstdint>
#include <vector>

#include "absl/base/attributes.h"
#include "modules/arena.h"
#include "modules/octets.h"
#include "modules/plan.h"
#include "runtime/result.h"

namespace pure::modules {

struct Register {
  bool present = true;  // false: none
  int64_t number = 0;   // a number, a truth (0, 1), a case
  Octets octets;        // a text or bytes
};

// How a run ended.
struct Ending {
  Result result = Result::kOk;  // kOk; kFault; kLimit or kAllocation: the arena could not take it
  uint16_t fault = 0;           // kFault: the module's
  Op answer = Op::kReplyNone;   // kOk: one of kReply...
  uint16_t choice = 0;          // kReplyCase
  const Register* value = nullptr;  // of the answer; valid until the next run
  bool assigned = false;            // the document's value was assigned; it is register kValueSlot
};

class Machine {
 public:
  Machine(const Plan* plan ABSL_ATTRIBUTE_LIFETIME_BOUND,
          Arena* arena ABSL_ATTRIBUTE_LIFETIME_BOUND);

  // Filled before a run: value, revision, key and parameters, as scope.h places them.
  Register& at(uint16_t index) { return registers_[index]; }

  // `next_revision`: what `revision` reads after the value was assigned.
  Ending Run(const PlanMessage& message, uint64_t next_revision);

 private:
  // What a step leads to besides the next instruction.
  enum class Step : uint8_t { kNext, kOverflow, kDivide, kFull, kType, kRange, kNoRoom };

  Step Compute(const Instruction& instruction);
  Step ComputeOctets(const Instruction& instruction);
  Step Slice(const Instruction& instruction);
  Step CheckCut(const Register& text, int64_t at) const;
  Step Divide(const Instruction& instruction);
  static bool Jumps(const Instruction& instruction, const Register& tested);
  Ending End(const PlanMessage& message, Step step) const;

  const Plan& plan_;
  Arena& arena_;
  std::vector<Register> registers_;
};

}  // namespace pure::modules
