#include "modules/compiler.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "modules/message_compiler.h"
#include "modules/pool.h"

namespace pure::modules {
namespace {

// Largest payload, in bytes, that can be right: the raw value, or a form with every octet escaped.
uint64_t PayloadBytesMax(const PlanMessage& message) {
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

}  // namespace

void Compile(const Ast& ast, Checked checked, Diagnostics* diagnostics, Plan* plan) {
  plan->module_name = std::string(ast.name.text);
  plan->version = static_cast<int64_t>(ast.version);
  plan->document_name = checked.document.name;
  plan->key_type = checked.document.key_type;
  plan->document_type = checked.document.type;
  plan->content_type = checked.document.content_type;

  Pool<int64_t> numbers;
  Pool<std::string> texts;
  for (const CheckedMessage& message : checked.document.messages) {
    PlanMessage compiled;
    MessageCompiler(ast, checked, &numbers, &texts, diagnostics).Compile(message, &compiled);
    plan->registers_max = std::max(plan->registers_max, compiled.registers);
    MessageInfo info;
    info.name = message.name;
    info.writes = message.writes;
    info.is_show = message.is_show;
    info.is_edit = message.is_edit;
    for (const CheckedParameter& parameter : message.parameters) {
      info.parameters.push_back(parameter.name);
    }
    info.takes_raw = compiled.takes_raw;
    info.payload_bytes_max = PayloadBytesMax(compiled);
    plan->message_infos.push_back(std::move(info));
    plan->messages.push_back(std::move(compiled));
  }
  plan->faults = std::move(checked.faults);
  plan->choices = std::move(checked.choices);
  plan->numbers = numbers.Take();
  plan->texts = texts.Take();
  plan->text_spans.assign(plan->texts.begin(), plan->texts.end());
}

}  // namespace pure::modules
