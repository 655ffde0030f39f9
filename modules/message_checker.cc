#include "modules/message_checker.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "modules/limits.h"

namespace pure::modules {
namespace {

constexpr size_t kFaultTextBytesMax = 200;
constexpr int64_t kRevisionMax =
    int64_t{1} << 62;  // more writes than a store will see: `revision + 1` is a number

// Largest answer, in bytes, that a value of this type is made into; 0: it is not made but lent.
int64_t AnswerBytesMax(const Known& known) {
  const Type& type = known.type;
  switch (type.kind) {
    case TypeKind::kError:
    case TypeKind::kNone:
      return 0;
    case TypeKind::kBool:
      return 5;
    case TypeKind::kInt:
      return 20;
    case TypeKind::kSlug:
      return type.high + 2;
    case TypeKind::kChoice:
      return static_cast<int64_t>(kNameBytesMax) + 2;
    case TypeKind::kText:
      return 6 * type.high + 2;  // \u0001 for each, and quotes
    case TypeKind::kBytes:
      return known.stored ? std::min(type.high, kAnswerBytesMax) : type.high;
  }
  return 0;
}

}  // namespace

void MessageChecker::Check(const MessageNode& node, const Name& key,
                           absl::Span<const Type> parameter_types, CheckedMessage* message) {
  message_ = message;
  message->node = &node;
  message->name = std::string(node.name.text);
  message->is_show = node.name.text == "show";
  message->is_edit = node.name.text == "edit";
  for (size_t i = 0; i < kBuiltinFaultCount; ++i) {
    message->builtin_faults[i] = static_cast<uint16_t>(i);
  }
  for (const FaultNode& fault : node.faults) AddFault(fault);

  Known value;
  value.type = checked_.document.type;
  value.type.option = !value.type.is_error();
  value.stored = true;
  scope_.Add({"value", 0, true, value});
  scope_.Add({"revision", 0, false, {IntType(0, kRevisionMax), false, 1}});
  scope_.Add({key.text, key.offset, false, {checked_.document.key_type, false, 1}});
  for (size_t i = 0; i < node.parameters.size(); ++i) {
    AddParameter(node.parameters[i], parameter_types[i]);
  }
  CheckShape(node);
  CheckBlock(node.body);
  message->slot_count = scope_.size_max();
}

std::string MessageChecker::FirstAt(uint32_t offset) const {
  return offset == 0 ? "it is there from the start" : "the first stands above";
}

void MessageChecker::AddFault(const FaultNode& fault) {
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
    if (kBuiltinFaults[i].name == fault.name.text) message_->builtin_faults[i] = number;
  }
}

// The module's number of the fault that `name` is in this message, or -1.
int MessageChecker::FindFault(Bytes name) const {
  for (size_t i = 0; i < fault_names_.size(); ++i) {
    if (fault_names_[i] == name) return fault_numbers_[i];
  }
  for (size_t i = 0; i < kBuiltinFaultCount; ++i) {
    if (kBuiltinFaults[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

// False, and reported: the name means something else here.
bool MessageChecker::CheckNewName(const Name& name) {
  if (const int slot = scope_.Find(name.text); slot >= 0) {
    diagnostics_.Add(name.offset, absl::StrCat("`", name.text, "` is taken"),
                     FirstAt(scope_.at(static_cast<uint16_t>(slot)).offset));
    return false;
  }
  if (std::find(fault_names_.begin(), fault_names_.end(), name.text) != fault_names_.end()) {
    diagnostics_.Add(name.offset, absl::StrCat("`", name.text, "` is a fault of this message"));
    return false;
  }
  return true;
}

void MessageChecker::AddParameter(const ParameterNode& parameter, const Type& type) {
  (void)CheckNewName(parameter.name);
  message_->parameters.push_back({std::string(parameter.name.text), type});
  // A name that is taken keeps its first meaning; the slot is there all the same.
  scope_.Add({parameter.name.text, parameter.name.offset, false, {type, false, 1}});
}

// What `show` and `edit` have to look like, since GET and PUT call them.
void MessageChecker::CheckShape(const MessageNode& node) {
  if (message_->is_show) {
    if (!node.parameters.empty()) {
      diagnostics_.Add(node.parameters[0].name.offset, "`show` takes no parameters");
    }
    const bool one = node.body != kNoIndex && ast_.stmts[node.body].next == kNoIndex;
    const StmtKind kind = one ? ast_.stmts[node.body].kind : StmtKind::kBroken;
    if (!one || (kind != StmtKind::kReply && kind != StmtKind::kBroken)) {
      diagnostics_.Add(node.name.offset, "`show` does nothing but reply",
                       "message show { reply value else not_found }");
    }
  }
  if (message_->is_edit) {
    const auto takes_body = [](const CheckedParameter& parameter) {
      return parameter.type.is_error() ||
             (!parameter.type.option &&
              (parameter.type.kind == TypeKind::kText || parameter.type.kind == TypeKind::kBytes));
    };
    if (message_->parameters.size() != 1 || !takes_body(message_->parameters[0])) {
      diagnostics_.Add(node.name.offset, "`edit` takes the body of the request: one text or bytes",
                       "message edit(body: bytes(..1MiB)) { value = body; reply none }");
    }
  }
}

void MessageChecker::CheckBlock(Index first) {
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

void MessageChecker::CheckStatement(Index index) {
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
  }
}

// True when `expr` is no more than the name of a fault; notes which.
bool MessageChecker::ResolveFault(Index index) {
  const Expr& expr = ast_.exprs[index];
  if (expr.kind != ExprKind::kName || scope_.Find(expr.text) >= 0) return false;
  const int fault = FindFault(expr.text);
  if (fault < 0) return false;
  checked_.exprs[index].meaning = Meaning::kFault;
  checked_.exprs[index].number = static_cast<uint16_t>(fault);
  return true;
}

// What is known of an option once its `else`, if there is one, has been taken into account.
Known MessageChecker::CheckAlternative(const Known& option, const Stmt& stmt) {
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

void MessageChecker::CheckLet(Index index) {
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

void MessageChecker::CheckAssign(Index index) {
  const Stmt& stmt = ast_.stmts[index];
  const int found = scope_.Find(stmt.name.text);
  if (found < 0) {
    (void)expressions_.Check(stmt.expr, nullptr);
    return diagnostics_.Add(stmt.name.offset,
                            absl::StrCat("there is no `", Shortened(stmt.name.text), "` here"),
                            expressions_.Suggestion(stmt.name.text, {"value"}));
  }
  const uint16_t slot = static_cast<uint16_t>(found);
  checked_.stmt_slots[index] = slot;
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
  const Type kind = now.type;
  now = known;
  now.type.kind = kind.kind;  // a text in place of bytes is bytes from now on
  now.type.option = kind.option;
  if (known.type.kind == TypeKind::kNone) now.type = kind;
}

// value = expr writes, value = none deletes.
void MessageChecker::CheckValueAssign(const Stmt& stmt, uint16_t slot) {
  message_->writes = true;
  Type wanted = checked_.document.type;
  const Known known = expressions_.Check(stmt.expr, &wanted);
  if (message_->is_show) diagnostics_.Add(stmt.name.offset, "`show` does not write");
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
                                         TypeText(checked_.document.type, checked_.choices),
                                         ", and this is ", KindText(known.type)));
  }
  if (known.type.low > wanted.high || known.type.high < wanted.low) {
    return diagnostics_.Add(ast_.exprs[stmt.expr].offset,
                            absl::StrCat("this never fits: the value of this document is ",
                                         TypeText(checked_.document.type, checked_.choices),
                                         ", and this is ", TypeText(known.type, checked_.choices)));
  }
  value.type.option = known.type.option;
  value.type.low = std::max(known.type.low, wanted.low);
  value.type.high = std::min(known.type.high, wanted.high);
}

void MessageChecker::CheckRequire(const Stmt& stmt) {
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

void MessageChecker::CheckIf(const Stmt& stmt) {
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

void MessageChecker::CheckReply(const Stmt& stmt) {
  Known answer = expressions_.Check(stmt.expr, nullptr);
  answer = CheckAlternative(answer, stmt);
  ended_ = true;
  if (answer.type.is_error()) return;
  const Expr& expr = ast_.exprs[stmt.expr];
  if (answer.type.option) {
    const Bytes name = expr.kind == ExprKind::kName ? expr.text : "...";
    return diagnostics_.Add(expr.offset, "this may be absent",
                            absl::StrCat("write: reply ", name, " else not_found"));
  }
  if (message_->is_show) return CheckShownReply(stmt, answer);
  const int64_t bytes_max = AnswerBytesMax(answer);
  message_->reply_bytes_max = std::max(message_->reply_bytes_max, bytes_max);
  if (bytes_max > kAnswerBytesMax) {
    diagnostics_.Add(
        expr.offset, absl::StrCat("this answer can have ", bytes_max, " bytes"),
        absl::StrCat("at most ", SizeText(kAnswerBytesMax),
                     answer.type.kind == TypeKind::kText
                         ? "; a text is answered as JSON, up to 6 bytes for each of its own"
                         : "; only the stored bytes as they stand may be larger"));
  }
}

void MessageChecker::CheckShownReply(const Stmt& stmt, const Known& answer) {
  const Expr& expr = ast_.exprs[stmt.expr];
  if (!answer.type.is_octets()) {
    return diagnostics_.Add(
        expr.offset,
        absl::StrCat("`show` answers a text or bytes, and this is ", KindText(answer.type)));
  }
  if (!answer.stored && answer.type.high > kAnswerBytesMax) {
    diagnostics_.Add(expr.offset, absl::StrCat("this answer can have ", answer.type.high, " bytes"),
                     absl::StrCat("at most ", SizeText(kAnswerBytesMax),
                                  "; only the stored value as it stands may be larger"));
  }
  message_->reply_bytes_max = answer.stored ? 0 : answer.type.high;
}

}  // namespace pure::modules
