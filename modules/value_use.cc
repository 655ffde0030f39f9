#include "modules/value_use.h"

#include <algorithm>
#include <map>
#include <utility>

#include "modules/scope.h"

namespace pure::modules {
namespace {

// Follows the stored octets from register to register.
class ValueFlow {
 public:
  explicit ValueFlow(uint16_t registers) : stored_(registers) { stored_[kValueSlot] = true; }

  ValueUse Follow(const std::vector<Instruction>& code) {
    for (size_t i = 0; i < code.size(); ++i) {
      Arrive(static_cast<uint16_t>(i));
      if (runs_) Step(code[i]);
    }
    return use_;
  }

 private:
  // Adds what is known by the jumps that land here.
  void Arrive(uint16_t index) {
    const auto landing = jumps_.find(index);
    if (landing == jumps_.end()) return;
    Merge(landing->second, runs_, &stored_);
    runs_ = true;
    jumps_.erase(landing);
  }

  // *into has what either has, or just `from` when nothing was there.
  static void Merge(const std::vector<bool>& from, bool there, std::vector<bool>* into) {
    if (!there) {
      *into = from;
      return;
    }
    for (size_t i = 0; i < from.size(); ++i) {
      if (from[i]) (*into)[i] = true;
    }
  }

  void Jump(uint16_t target) {
    const auto [landing, is_new] = jumps_.try_emplace(target);
    Merge(stored_, !is_new, &landing->second);
  }

  // `a` is filled with what may be stored octets or not.
  void Fill(uint16_t a, bool stored) {
    stored_[a] = stored;
    if (stored) use_ = std::max(use_, ValueUse::kStage);
  }
  void Touch(uint16_t read, ValueUse use) {
    if (stored_[read]) use_ = std::max(use_, use);
  }

  void Step(const Instruction& instruction) {
    const auto [op, a, b, c, d] = instruction;
    (void)d;
    switch (op) {
      case Op::kJump:
        Jump(c);
        runs_ = false;
        return;
      case Op::kJumpIfFalse:
      case Op::kJumpIfTrue:
      case Op::kJumpIfPresent:
        return Jump(c);
      case Op::kFault:
      case Op::kReplyNone:
      case Op::kReplyInt:
      case Op::kReplyBool:
      case Op::kReplyCase:
        runs_ = false;
        return;
      case Op::kReplyPage:
        runs_ = false;
        return;
      case Op::kReplyRaw:
      case Op::kReplyText:
      case Op::kReplyJson:
      case Op::kReplySee:
        Touch(a, ValueUse::kLook);
        runs_ = false;
        return;
      case Op::kMove:
      case Op::kFirst:
      case Op::kRest:
        return Fill(a, stored_[b]);
      case Op::kJoin:
        return Fill(a, stored_[b] || stored_[c]);
      case Op::kAssignValue:
        return Fill(kValueSlot, stored_[a]);
      case Op::kCheckCut:
        return Touch(a, ValueUse::kLook);
      case Op::kCheckSize:
        return Touch(a, ValueUse::kStage);
      case Op::kSize:
        Touch(b, ValueUse::kStage);
        return Fill(a, false);
      case Op::kHas:
      case Op::kOctetsEqual:
      case Op::kOctetsLess:
      case Op::kOctetsLessEqual:
        Touch(b, ValueUse::kLook);
        Touch(c, ValueUse::kLook);
        return Fill(a, false);
      default:
        // Rows and clauses: what is put into a row is copied, and a clause may go around.
        if (op >= Op::kField && op <= Op::kEmit) use_ = ValueUse::kLook;
        return Fill(a, false);
    }
  }

  std::vector<bool> stored_;                     // which registers may hold stored octets here
  bool runs_ = true;                             // this place can be reached
  std::map<uint16_t, std::vector<bool>> jumps_;  // what those that jump to a place bring along
  ValueUse use_ = ValueUse::kNone;
};

}  // namespace

ValueUse FindValueUse(const std::vector<Instruction>& code, uint16_t registers) {
  return ValueFlow(registers).Follow(code);
}

}  // namespace pure::modules
