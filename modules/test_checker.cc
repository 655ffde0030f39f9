#include "modules/test_checker.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "modules/limits.h"

namespace pure::modules {
namespace {

// What a call answers, as a text.
Type AnswerType() { return OctetsType(TypeKind::kText, 0, kAnswerBytesMax); }

}  // namespace

TestChecker::TestChecker(const Ast& ast, Checked* checked, Diagnostics* diagnostics)
    : ast_(ast),
      checked_(*checked),
      diagnostics_(*diagnostics),
      expressions_(ast, checked, &scope_, diagnostics) {
  expressions_.OnCall([this](Index expr) { return NoteCall(expr) || NoteDocument(expr); });
}

CheckedTest TestChecker::Check(const TestItem& item) {
  CheckedTest test;
  test.name = item.name;
  for (Index index = item.body; index != kNoIndex; index = ast_.stmts[index].next) {
    if (ast_.stmts[index].kind == StmtKind::kBroken) continue;
    test.steps.push_back(CheckStep(ast_.stmts[index]));
  }
  return test;
}

CheckedStep TestChecker::CheckStep(const Stmt& stmt) {
  CheckedStep step;
  step.stmt = &stmt;
  step_ = &step;
  step.has_condition = stmt.kind == StmtKind::kExpect && stmt.name.text.empty();
  if (step.has_condition) {
    expressions_.CheckCondition(stmt.expr);
  } else {
    (void)expressions_.Check(stmt.expr, nullptr);
    const ExprKind kind = ast_.exprs[stmt.expr].kind;
    const bool calls = kind == ExprKind::kCall || kind == ExprKind::kMethod;
    if (kind != ExprKind::kBroken && (!calls || step.calls.size() != 1)) {
      diagnostics_.Add(stmt.offset, "here stands one call of an input, a view or a message",
                       "what is to be true is written behind `expect`");
    }
  }
  if (!stmt.name.text.empty()) CheckFault(stmt);
  step.slot_count = scope_.size_max();
  scope_.Shrink(0);
  return step;
}

void TestChecker::CheckFault(const Stmt& stmt) {
  const auto same = [&stmt](const FaultInfo& fault) { return fault.name == stmt.name.text; };
  if (std::any_of(checked_.faults.begin(), checked_.faults.end(), same)) return;
  diagnostics_.Add(stmt.name.offset,
                   absl::StrCat("there is no fault `", Shortened(stmt.name.text), "`"));
}

// The answer of a call has a slot of its own.
void TestChecker::Answer(Index expr, const Type& type, CheckedCall call) {
  ExprNote& note = checked_.exprs[expr];
  note.meaning = Meaning::kSlot;
  note.known = KnownOf(type);
  call.slot = note.number = scope_.Add({Bytes(), ast_.exprs[expr].offset, false, KnownOf(type)});
  step_->calls.push_back(std::move(call));
}

// name(argument: value, ...) of an input or a view.
bool TestChecker::NoteCall(Index index) {
  const Expr& expr = ast_.exprs[index];
  if (expr.kind != ExprKind::kCall) return false;
  for (size_t i = 0; i < checked_.handlers.size(); ++i) {
    if (checked_.handlers[i].name != expr.text) continue;
    CheckedCall call;
    call.index = static_cast<uint16_t>(i);
    CheckArguments(index, expr.first, checked_.handlers[i].parameters, &call);
    Answer(index, AnswerType(), std::move(call));
    return true;
  }
  return false;
}

// document("key").message(argument: value, ...) or document("key").revision.
bool TestChecker::NoteDocument(Index index) {
  const Expr& expr = ast_.exprs[index];
  const bool method = expr.kind == ExprKind::kMethod;
  if (!method && (expr.kind != ExprKind::kField || expr.text != "revision")) return false;
  const Expr& receiver = ast_.exprs[method ? expr.second : expr.first];
  if (receiver.kind != ExprKind::kCall || !checked_.document.there ||
      receiver.text != checked_.document.name) {
    return false;
  }
  CheckedCall call;
  call.target = CheckedCall::Target::kRevision;
  call.arguments = {receiver.first};
  call.parameters = {checked_.document.key_type};
  if (receiver.first == kNoIndex || ast_.exprs[receiver.first].next != kNoIndex) {
    diagnostics_.Add(receiver.offset, "a document has one key here");
    return true;
  }
  expressions_.CheckInto(receiver.first, OctetsType(TypeKind::kText, 1, kValueBytesMax), "the key");
  if (!method) {
    Answer(index, AnyIntType(), std::move(call));
    return true;
  }
  const std::vector<CheckedHandler>& messages = checked_.document.messages;
  const auto found =
      std::find_if(messages.begin(), messages.end(),
                   [&expr](const CheckedHandler& message) { return message.name == expr.text; });
  if (found == messages.end()) {
    diagnostics_.Add(expr.offset, absl::StrCat("there is no message `", Shortened(expr.text), "`"));
    return true;
  }
  call.target = CheckedCall::Target::kMessage;
  call.index = static_cast<uint16_t>(found - messages.begin());
  CheckArguments(index, expr.first, found->parameters, &call);
  Answer(index, AnswerType(), std::move(call));
  return true;
}

void TestChecker::CheckArguments(Index expr, Index first,
                                 const std::vector<CheckedParameter>& parameters,
                                 CheckedCall* call) {
  const size_t offset = call->arguments.size();
  call->arguments.resize(offset + parameters.size(), kNoIndex);
  for (const CheckedParameter& parameter : parameters) call->parameters.push_back(parameter.type);
  size_t place = 0;
  for (Index argument = first; argument != kNoIndex; argument = ast_.exprs[argument].next) {
    const Expr& node = ast_.exprs[argument];
    size_t number = place++;
    Index value = argument;
    if (node.kind == ExprKind::kEntry) {
      const auto named = std::find_if(
          parameters.begin(), parameters.end(),
          [&node](const CheckedParameter& parameter) { return parameter.name == node.text; });
      number = static_cast<size_t>(named - parameters.begin());
      value = node.first;
    }
    if (number >= parameters.size() || call->arguments[offset + number] != kNoIndex) {
      diagnostics_.Add(node.offset, "there is no parameter for this");
      continue;
    }
    call->arguments[offset + number] = value;
    // What is out of bounds is for the call to refuse.
    Type wanted = parameters[number].type;
    if (wanted.is_octets()) {
      if (wanted.kind == TypeKind::kSlug) wanted.kind = TypeKind::kText;
      wanted.low = 0;
      wanted.high = kValueBytesMax;
    } else if (wanted.kind == TypeKind::kInt) {
      wanted = AnyIntType();
      wanted.option = parameters[number].type.option;
    }
    expressions_.CheckInto(value, wanted, absl::StrCat("`", parameters[number].name, "`"));
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (call->arguments[offset + i] != kNoIndex || parameters[i].type.option) continue;
    diagnostics_.Add(ast_.exprs[expr].offset,
                     absl::StrCat("`", parameters[i].name, "` is missing"));
  }
}

}  // namespace pure::modules
