#include "modules/parameter_values.h"

#include <algorithm>

#include "modules/scope.h"
#include "modules/utf8.h"

namespace pure::modules {
namespace {

bool IsSlug(Bytes text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  });
}

}  // namespace

bool SetOctets(const Type& type, const Bytes* piece, Register* target) {
  const int64_t size = static_cast<int64_t>(piece->size());
  if (size < type.low || size > type.high) return false;
  if (type.kind == TypeKind::kText && !IsUtf8(*piece)) return false;
  if (type.kind == TypeKind::kSlug && !IsSlug(*piece)) return false;
  *target = Register{.octets = OctetsOf(piece)};
  return true;
}

bool SetNumber(const Type& type, int64_t number, Register* target) {
  if (type.kind == TypeKind::kInt && (number < type.low || number > type.high)) return false;
  *target = Register{.number = number};
  return true;
}

bool SetCase(const Plan& plan, const Type& type, Bytes name, Register* target) {
  const int number = plan.shapes.FindCase(type, name);
  *target = Register{.number = number};
  return number >= 0;
}

Result FillAbsent(const PlanHandler& handler, uint64_t seen, Machine* machine,
                  uint16_t* parameter) {
  for (uint16_t i = 0; i < handler.parameters.size(); ++i) {
    if ((seen >> i & 1) != 0) continue;
    *parameter = i;
    if (!handler.parameters[i].type.option) return Result::kType;
    machine->at(static_cast<uint16_t>(kFirstParameterSlot + i)) = Register{.present = false};
  }
  return Result::kOk;
}

}  // namespace pure::modules
