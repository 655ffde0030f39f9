#include "modules/compiler.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "modules/handler_compiler.h"
#include "modules/lexer.h"
#include "modules/pools.h"

namespace pure::modules {
namespace {

// Largest payload, in bytes, that can be right: the raw value, or a form with every octet escaped.
uint64_t PayloadBytesMax(const PlanHandler& message) {
  uint64_t form = 0;
  uint64_t raw = 0;
  for (const PlanParameter& parameter : message.parameters) {
    const Type& type = parameter.type;
    const uint64_t value = type.is_octets() ? static_cast<uint64_t>(type.high) : kNameBytesMax;
    form += 3 * (parameter.name.size() + value) + 2;
    if (message.takes_raw) raw = value;
  }
  return std::max(form, raw);
}

std::vector<std::string> NamesOf(const CheckedHandler& handler) {
  std::vector<std::string> names;
  for (const CheckedParameter& parameter : handler.parameters) names.push_back(parameter.name);
  return names;
}

MessageInfo InfoOf(const CheckedHandler& message, const PlanHandler& plan) {
  return {.name = message.name,
          .writes = message.writes,
          .is_show = message.is_show,
          .is_edit = message.is_edit,
          .parameters = NamesOf(message),
          .takes_raw = plan.takes_raw,
          .payload_bytes_max = PayloadBytesMax(plan)};
}

HandlerInfo HandlerInfoOf(const CheckedHandler& handler, const PlanHandler& plan) {
  return {.name = handler.name,
          .is_view = handler.node->kind == HandlerKind::kView,
          .reads_random = plan.reads_random,
          .path = handler.path,
          .parameters = NamesOf(handler),
          .payload_bytes_max = PayloadBytesMax(plan)};
}

void Count(const PlanHandler& handler, uint16_t clauses, Plan* plan) {
  plan->registers_max = std::max(plan->registers_max, handler.registers);
  plan->clauses_max = std::max(plan->clauses_max, clauses);
}

// Of the rows that a state is stored as.
Layout StateLayout(const Type& type, const Shapes& shapes) {
  Layout layout;
  const auto add = [&layout](const Type& field) { layout.push_back(!field.is_number()); };
  const Type element = type.is_collection() ? shapes.element(type) : type;
  if (type.kind == TypeKind::kMap) {
    add(shapes.key(type));
    add(element);
  } else if (element.kind == TypeKind::kRecord && !element.option) {
    for (const FieldType& field : shapes.fields(element)) add(field.type);
  } else {
    add(element);
  }
  return layout;
}

PlanStep CompileStep(const Ast& ast, const Checked& checked, const CheckedStep& step, Pools* pools,
                     Diagnostics* diagnostics, Plan* plan) {
  PlanStep compiled;
  compiled.offset = step.stmt->offset;
  compiled.fault = std::string(step.stmt->name.text);
  for (const CheckedCall& checked_call : step.calls) {
    PlanCall& call = compiled.calls.emplace_back();
    call.target = static_cast<PlanCall::Target>(checked_call.target);
    call.index = checked_call.index;
    call.count = static_cast<uint16_t>(checked_call.arguments.size());
    call.slot = checked_call.slot;
    HandlerCompiler compiler(ast, checked, pools, diagnostics);
    compiler.CompileArguments(step, checked_call, &call.arguments, &call.first);
    Count(call.arguments, compiler.clauses(), plan);
  }
  compiled.has_condition = step.has_condition;
  if (!step.has_condition) return compiled;
  HandlerCompiler compiler(ast, checked, pools, diagnostics);
  compiler.CompileCondition(step, &compiled.condition);
  Count(compiled.condition, compiler.clauses(), plan);
  return compiled;
}

}  // namespace

void Compile(const Ast& ast, Checked checked, Diagnostics* diagnostics, Plan* plan) {
  plan->module_name = std::string(ast.name.text);
  plan->version = static_cast<int64_t>(ast.version);
  plan->document_name = checked.document.name;
  plan->key_type = checked.document.key_type;
  plan->document_type = checked.document.type;
  plan->content_type = checked.document.content_type;

  Pools pools;
  const auto compile = [&](const CheckedHandler& handler) {
    PlanHandler compiled;
    HandlerCompiler compiler(ast, checked, &pools, diagnostics);
    compiler.Compile(handler, &compiled);
    Count(compiled, compiler.clauses(), plan);
    return compiled;
  };
  for (const CheckedHandler& message : checked.document.messages) {
    plan->messages.push_back(compile(message));
    plan->message_infos.push_back(InfoOf(message, plan->messages.back()));
  }
  for (const CheckedHandler& handler : checked.handlers) {
    plan->handlers.push_back(compile(handler));
    plan->handler_infos.push_back(HandlerInfoOf(handler, plan->handlers.back()));
  }
  for (size_t i = 0; i < checked.states.size(); ++i) {
    PlanState state{checked.states[i].name, checked.states[i].type, {}, {}};
    state.layout = StateLayout(state.type, checked.shapes);
    HandlerCompiler compiler(ast, checked, &pools, diagnostics);
    compiler.CompileFirst(static_cast<uint16_t>(i), &state.first);
    Count(state.first, compiler.clauses(), plan);
    plan->states.push_back(std::move(state));
  }
  for (const CheckedTest& test : checked.tests) {
    plan->tests.push_back({DecodeText(test.name.text), {}});
    for (const CheckedStep& step : test.steps) {
      plan->tests.back().steps.push_back(
          CompileStep(ast, checked, step, &pools, diagnostics, plan));
    }
  }
  plan->faults = std::move(checked.faults);
  plan->shapes = std::move(checked.shapes);
  plan->numbers = pools.numbers.Take();
  plan->texts = pools.texts.Take();
  plan->layouts = pools.layouts.Take();
  plan->types = std::move(pools.types);
  plan->text_spans.assign(plan->texts.begin(), plan->texts.end());
}

}  // namespace pure::modules
