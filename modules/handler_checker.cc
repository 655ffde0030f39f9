#include "modules/handler_checker.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "modules/json_bounds.h"
#include "modules/limits.h"

namespace pure::modules {
namespace {

constexpr size_t kFaultTextBytesMax = 200;
constexpr int64_t kRevisionMax =
    int64_t{1} << 62;  // more writes than a store will see: `revision + 1` is a number

}  // namespace

// Each kind has names of its own; the slots are there in any case.
void HandlerChecker::AddFixed(const HandlerNode& node, const Name& key) {
  const bool message = node.kind == HandlerKind::kMessage;
  const bool input = node.kind == HandlerKind::kInput;
  const auto named = [](bool there, Bytes name) { return there ? name : Bytes(); };
  Known value;
  value.type = checked_.document.type;
  value.type.option = !value.type.is_error();
  value.stored = true;
  const Known number = KnownOf(IntType(0, kRevisionMax));
  scope_.Add({named(message, "value"), 0, true, value});
  scope_.Add({named(message, "revision"), 0, false, number});
  scope_.Add({key.text, key.offset, false, KnownOf(checked_.document.key_type)});
  scope_.Add({named(input, "now"), 0, false, KnownOf(TypeOfKind(TypeKind::kTime))});
  scope_.Add({named(input, "random"), 0, false, KnownOf(AnyIntType())});
  scope_.Add({named(!message, "commit"), 0, false, number});
}

void HandlerChecker::Check(const HandlerNode& node, const Name& key,
                           absl::Span<const Type> parameter_types, CheckedHandler* handler) {
  handler_ = handler;
  handler->node = &node;
  handler->name = std::string(node.name.text);
  const bool message = node.kind == HandlerKind::kMessage;
  handler->is_show = message && node.name.text == "show";
  handler->is_edit = message && node.name.text == "edit";
  for (size_t i = 0; i < kBuiltinFaultCount; ++i) {
    handler->builtin_faults[i] = static_cast<uint16_t>(i);
  }
  for (const FaultNode& fault : node.faults) AddFault(fault);
  AddFixed(node, key);
  for (size_t i = 0; i < node.parameters.size(); ++i) {
    AddParameter(node.parameters[i], parameter_types[i]);
  }
  CheckShape(node);
  CheckBlock(node.body);
  CheckPage(node);
  handler->slot_count = scope_.size_max();
}

std::string HandlerChecker::FirstAt(uint32_t offset) const {
  return offset == 0 ? "it is there from the start" : "the first stands above";
}

void HandlerChecker::AddFault(const FaultNode& fault) {
  if (std::find(fault_names_.begin(), fault_names_.end(), fault.name.text) != fault_names_.end()) {
    return diagnostics_.Add(fault.name.offset,
                            absl::StrCat("the fault `", fault.name.text, "` is declared twice"));
  }
  if (fault.status < 400 || fault.status > 599) {
    diagnostics_.Add(fault.status_offset, "the status of a fault is 400 to 599");
  }
  const std::string text = DecodeText(fault.text);
  const bool controls = std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
  });
  if (text.empty() || text.size() > kFaultTextBytesMax || controls) {
    diagnostics_.Add(fault.text_offset, absl::StrCat("the text of a fault is one line of 1 to ",
                                                     kFaultTextBytesMax, " bytes"));
  }
  const uint16_t number = static_cast<uint16_t>(checked_.faults.size());
  checked_.faults.push_back(
      {std::string(fault.name.text), static_cast<uint16_t>(fault.status), text});
  fault_names_.push_back(fault.name.text);
  fault_numbers_.push_back(number);
  for (size_t i = 0; i < kBuiltinFaultCount; ++i) {
    if (kBuiltinFaults[i].name == fault.name.text) handler_->builtin_faults[i] = number;
  }
}

// The module's number of the fault that `name` is in this message, or -1.
int HandlerChecker::FindFault(Bytes name) const {
  for (size_t i = 0; i < fault_names_.size(); ++i) {
    if (fault_names_[i] == name) return fault_numbers_[i];
  }
  for (size_t i = 0; i < kBuiltinFaultCount; ++i) {
    if (kBuiltinFaults[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

// False, and reported: the name means something else here.
bool HandlerChecker::CheckNewName(const Name& name) {
  if (const int slot = scope_.Find(name.text); slot >= 0) {
    diagnostics_.Add(name.offset, absl::StrCat("`", name.text, "` is taken"),
                     FirstAt(scope_.at(static_cast<uint16_t>(slot)).offset));
    return false;
  }
  if (std::find(fault_names_.begin(), fault_names_.end(), name.text) != fault_names_.end()) {
    diagnostics_.Add(name.offset, absl::StrCat("`", name.text, "` is a fault here"));
    return false;
  }
  for (const CheckedState& state : checked_.states) {
    if (state.name != name.text) continue;
    diagnostics_.Add(name.offset, absl::StrCat("`", name.text, "` is a state"));
    return false;
  }
  return true;
}

void HandlerChecker::AddParameter(const ParameterNode& parameter, const Type& type) {
  (void)CheckNewName(parameter.name);
  if (type.kind == TypeKind::kRecord || type.is_collection()) {
    diagnostics_.Add(ast_.type_nodes[parameter.type].name.offset,
                     absl::StrCat("a parameter is one value, and this is ", KindText(type)),
                     "give each of its fields a parameter");
  }
  handler_->parameters.push_back({std::string(parameter.name.text), type});
  // A name that is taken keeps its first meaning; the slot is there all the same.
  scope_.Add({parameter.name.text, parameter.name.offset, false, {type, false, 1}});
}

void HandlerChecker::CheckBlock(Index first) {
  const uint16_t size = scope_.size();
  bool reported = false;
  for (Index index = first; index != kNoIndex; index = ast_.stmts[index].next) {
    if (ended_ && !reported && ast_.stmts[index].kind != StmtKind::kBroken) {
      diagnostics_.Add(ast_.stmts[index].offset, "this never runs: a reply ends the message");
      reported = true;
    }
    CheckStatement(index);
  }
  scope_.Shrink(size);
}

void HandlerChecker::CheckStatement(Index index) {
  const Stmt& stmt = ast_.stmts[index];
  switch (stmt.kind) {
    case StmtKind::kBroken:
      return;
    case StmtKind::kLet:
      return CheckLet(index);
    case StmtKind::kAssign:
      return CheckAssign(index);
    case StmtKind::kRequire:
      return CheckRequire(stmt);
    case StmtKind::kIf:
      return CheckIf(stmt);
    case StmtKind::kReply:
      return CheckReply(stmt);
    case StmtKind::kFor:
    case StmtKind::kChange:
    case StmtKind::kDrop:
      return CheckLoop(index);
    case StmtKind::kCall:
      return CheckMethod(index);
    case StmtKind::kSee:
      return CheckSee(stmt);
    case StmtKind::kText:
      page_bytes_ += absl::int128(stmt.name.text.size()) * around_;
      return;
    case StmtKind::kHole:
      return CheckHole(stmt);
    case StmtKind::kRun:
    case StmtKind::kExpect:
      return;  // of tests alone
  }
}

// True when `expr` is no more than the name of a fault; notes which.
bool HandlerChecker::ResolveFault(Index index) {
  const Expr& expr = ast_.exprs[index];
  if (expr.kind != ExprKind::kName || scope_.Find(expr.text) >= 0) return false;
  const int fault = FindFault(expr.text);
  if (fault < 0) return false;
  checked_.exprs[index].meaning = Meaning::kFault;
  checked_.exprs[index].number = static_cast<uint16_t>(fault);
  return true;
}

// What is known of an option once its `else`, if there is one, has been taken into account.
Known HandlerChecker::CheckAlternative(const Known& option, const Stmt& stmt) {
  Known opened = option;
  opened.type.option = false;
  if (stmt.alternative == kNoIndex) return option;
  const Expr& alternative = ast_.exprs[stmt.alternative];
  if (!option.type.is_error() && !option.type.option) {
    diagnostics_.Add(alternative.start, "this `else` is never taken: the value is always there");
  }
  if (ResolveFault(stmt.alternative)) return opened;
  if (alternative.kind == ExprKind::kName && scope_.Find(alternative.text) < 0 &&
      option.type.kind != TypeKind::kChoice) {
    std::vector<Bytes> faults = fault_names_;
    for (const BuiltinFaultText& builtin : kBuiltinFaults) faults.push_back(builtin.name);
    diagnostics_.Add(alternative.offset,
                     absl::StrCat("there is no fault or value `", Shortened(alternative.text), "`"),
                     expressions_.Suggestion(alternative.text, faults));
    opened.type = ErrorType();
    return opened;
  }
  const Known other = expressions_.Check(stmt.alternative, &option.type);
  Known joined;
  if (!Join(opened.type, other.type, &joined.type)) {
    diagnostics_.Add(alternative.offset,
                     absl::StrCat("the two sides do not match: ", KindText(opened.type), " and ",
                                  KindText(other.type)));
  }
  joined.stored = opened.stored && (other.stored || other.type.high <= kAnswerBytesMax);
  joined.parts = std::max(opened.parts, other.parts);
  return joined;
}

void HandlerChecker::CheckLet(Index index) {
  const Stmt& stmt = ast_.stmts[index];
  Known known = expressions_.Check(stmt.expr, nullptr);
  if (known.type.kind == TypeKind::kNone) {
    diagnostics_.Add(ast_.exprs[stmt.expr].offset, "`none` alone has no type");
    known.type = ErrorType();
  }
  known = CheckAlternative(known, stmt);
  if (!CheckNewName(stmt.name)) return;
  if (scope_.size() >= kLocalsMax) {
    return diagnostics_.Add(stmt.name.offset, absl::StrCat("a message has at most ", kLocalsMax,
                                                           " values with a name at one place"));
  }
  checked_.stmt_slots[index] = scope_.Add({stmt.name.text, stmt.name.offset, true, known});
}

void HandlerChecker::CheckAssign(Index index) {
  const Stmt& stmt = ast_.stmts[index];
  if (ast_.exprs[stmt.place].kind == ExprKind::kName) {
    if (const int slot = scope_.Find(stmt.name.text); slot >= 0) {
      checked_.stmt_slots[index] = static_cast<uint16_t>(slot);
      return CheckNameAssign(stmt, static_cast<uint16_t>(slot));
    }
  }
  if (!CheckPlace(stmt.place)) return (void)expressions_.Check(stmt.expr, nullptr);
  const Type wanted = checked_.exprs[stmt.place].known.type;
  expressions_.CheckInto(stmt.expr, wanted, absl::StrCat("`", stmt.name.text, "`"));
}

// What may be changed: a name or fields behind it. False: it may not; reported.
bool HandlerChecker::CheckPlace(Index place) {
  const Expr& expr = ast_.exprs[place];
  Index root = place;
  while (ast_.exprs[root].kind == ExprKind::kField) root = ast_.exprs[root].first;
  const Expr& name = ast_.exprs[root];
  if (std::find(changing_.begin(), changing_.end(), name.text) != changing_.end()) {
    diagnostics_.Add(name.offset, absl::StrCat("`", name.text, "` is being changed here already"));
    return false;
  }
  if (name.kind != ExprKind::kName) {
    diagnostics_.Add(expr.offset, "this can not be changed in its place",
                     "take it out with `let`, change it, and put it back");
    return false;
  }
  const Type type = expressions_.Check(place, nullptr).type;
  if (type.is_error()) return false;
  const ExprNote& note = checked_.exprs[root];
  if (note.meaning == Meaning::kState) {
    if (handler_->node->kind != HandlerKind::kView) {
      handler_->writes = true;
      return true;
    }
    diagnostics_.Add(name.offset, "a view changes nothing");
    return false;
  }
  if (note.meaning == Meaning::kSlot && scope_.at(note.number).assignable &&
      note.number != kValueSlot) {
    return true;
  }
  diagnostics_.Add(name.offset, absl::StrCat("`", name.text, "` can not be assigned"),
                   absl::StrCat("copy it: let copy = ", name.text));
  return false;
}

void HandlerChecker::CheckNameAssign(const Stmt& stmt, uint16_t slot) {
  if (slot == kValueSlot) return CheckValueAssign(stmt, slot);
  const Type old = scope_.at(slot).known.type;
  const Known known = expressions_.Check(stmt.expr, &old);
  if (!scope_.at(slot).assignable) {
    return diagnostics_.Add(stmt.name.offset,
                            absl::StrCat("`", stmt.name.text, "` can not be assigned"),
                            absl::StrCat("copy it: let copy = ", stmt.name.text));
  }
  if (!Fits(known.type, old)) {
    return diagnostics_.Add(
        ast_.exprs[stmt.expr].offset,
        absl::StrCat("`", stmt.name.text, "` holds ", KindText(old), ", and this is ",
                     KindText(known.type), known.type.option ? " that may be absent" : ""));
  }
  Known& now = scope_.at(slot).known;
  if (loops_ > 0 && (known.type.high > now.type.high || known.parts > now.parts) &&
      now.type.is_octets()) {
    return diagnostics_.Add(ast_.exprs[stmt.expr].offset,
                            absl::StrCat("`", stmt.name.text, "` could grow each time around"),
                            "gather the parts in a list, or write them with a template");
  }
  const Type kind = now.type;
  now = known;
  now.type.kind = kind.kind;  // a text in place of bytes is bytes from now on
  now.type.option = kind.option;
  if (known.type.kind == TypeKind::kNone || loops_ > 0) now.type = kind;
}

// value = expr writes, value = none deletes.
void HandlerChecker::CheckValueAssign(const Stmt& stmt, uint16_t slot) {
  handler_->writes = true;
  Type wanted = checked_.document.type;
  const Known known = expressions_.Check(stmt.expr, &wanted);
  if (handler_->is_show) diagnostics_.Add(stmt.name.offset, "`show` does not write");
  if (known.type.is_error() || wanted.is_error()) return;
  wanted.option = true;
  Known& value = scope_.at(slot).known;
  value.stored = false;
  value.parts = known.parts;
  value.type = wanted;
  if (known.type.kind == TypeKind::kNone) return;
  if (!Fits(known.type, wanted)) {
    return diagnostics_.Add(ast_.exprs[stmt.expr].offset,
                            absl::StrCat("the value of this document is ",
                                         TypeText(checked_.document.type, checked_.shapes),
                                         ", and this is ", KindText(known.type)));
  }
  if (known.type.low > wanted.high || known.type.high < wanted.low) {
    return diagnostics_.Add(ast_.exprs[stmt.expr].offset,
                            absl::StrCat("this never fits: the value of this document is ",
                                         TypeText(checked_.document.type, checked_.shapes),
                                         ", and this is ", TypeText(known.type, checked_.shapes)));
  }
  value.type.option = known.type.option;
  value.type.low = std::max(known.type.low, wanted.low);
  value.type.high = std::min(known.type.high, wanted.high);
}

void HandlerChecker::CheckRequire(const Stmt& stmt) {
  expressions_.CheckCondition(stmt.expr);
  if (stmt.alternative == kNoIndex || ResolveFault(stmt.alternative)) return;
  const Expr& alternative = ast_.exprs[stmt.alternative];
  if (alternative.kind == ExprKind::kBroken) return;
  std::vector<Bytes> faults = fault_names_;
  for (const BuiltinFaultText& builtin : kBuiltinFaults) faults.push_back(builtin.name);
  const Bytes nearest = diagnostics_.Nearest(alternative.text, faults);
  std::string help =
      absl::StrCat("declare it above the block: fault ",
                   alternative.kind == ExprKind::kName ? Shortened(alternative.text) : "name",
                   " 409 \"What is wrong.\"");
  if (!nearest.empty()) help = absl::StrCat("did you mean `", nearest, "`?");
  diagnostics_.Add(alternative.start,
                   alternative.kind == ExprKind::kName
                       ? absl::StrCat("there is no fault `", Shortened(alternative.text), "`")
                       : "the name of a fault stands here",
                   help);
}

void HandlerChecker::CheckIf(const Stmt& stmt) {
  expressions_.CheckCondition(stmt.expr);
  const bool ended_before = ended_;
  const std::vector<Known> before = scope_.Save();
  CheckBlock(stmt.body);
  const bool then_ended = std::exchange(ended_, ended_before);
  const std::vector<Known> after_then = scope_.Save();
  scope_.Restore(before);
  if (stmt.has_other) CheckBlock(stmt.other);
  if (ended_ && !ended_before) {
    scope_.Restore(after_then);
    ended_ = then_ended;
  } else if (!then_ended) {
    scope_.JoinWith(after_then);
  }
}

}  // namespace pure::modules
