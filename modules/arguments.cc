#include "modules/arguments.h"

#include <algorithm>
#include <limits>

#include "modules/form.h"
#include "modules/json_arguments.h"
#include "modules/parameter_values.h"
#include "modules/scope.h"

namespace pure::modules {
namespace {

// A whole decimal number with an optional minus sign, of 64 bits.
bool ParseInt(Bytes text, int64_t* number) {
  const bool negative = !text.empty() && text[0] == '-';
  if (negative) text.remove_prefix(1);
  if (text.empty()) return false;
  int64_t value = 0;  // built downwards, since the least number has no positive
  for (char c : text) {
    if (c < '0' || c > '9') return false;
    if (__builtin_mul_overflow(value, int64_t{10}, &value)) return false;
    if (__builtin_sub_overflow(value, static_cast<int64_t>(c - '0'), &value)) return false;
  }
  if (!negative && value == std::numeric_limits<int64_t>::min()) return false;
  *number = negative ? value : -value;
  return true;
}

// The register is what `text` means as a `type` without octets.
bool SetWord(const Plan& plan, const Type& type, Bytes text, Register* target) {
  target->present = true;
  switch (type.kind) {
    case TypeKind::kBool:
      target->number = text == "true" ? 1 : 0;
      return text == "true" || text == "false";
    case TypeKind::kInt:
    case TypeKind::kTime:
    case TypeKind::kSpan: {
      int64_t number = 0;
      return ParseInt(text, &number) && SetNumber(type, number, target);
    }
    case TypeKind::kChoice:
      return SetCase(plan, type, text, target);
    default:
      return false;
  }
}

// Decodes a field's value into the arena, or points at it where it stands for itself.
Result DecodeValue(const Type& type, Bytes encoded, Arena* arena, Bytes** piece) {
  size_t size_bytes = 0;
  if (!FormDecodedSize(encoded, &size_bytes)) return Result::kType;
  // What is out of bounds is not worth the memory.
  if (type.is_octets() && static_cast<int64_t>(size_bytes) > type.high) return Result::kType;
  Bytes* const decoded = arena->AllocateArray<Bytes>(1);
  char* const data = IsFormPlain(encoded) ? const_cast<char*>(encoded.data())
                                          : arena->AllocateArray<char>(size_bytes);
  if (decoded == nullptr || data == nullptr) {
    return arena->at_limit() ? Result::kLimit : Result::kAllocation;
  }
  if (!IsFormPlain(encoded)) FormDecode(encoded, data);
  *decoded = Bytes(data, size_bytes);
  *piece = decoded;
  return Result::kOk;
}

Result SetField(const Plan& plan, const Type& type, Bytes encoded, Arena* arena, Register* target) {
  Bytes* piece = nullptr;
  if (const Result result = DecodeValue(type, encoded, arena, &piece); result != Result::kOk) {
    return result;
  }
  if (type.is_octets()) return SetOctets(type, piece, target) ? Result::kOk : Result::kType;
  if (type.option && piece->empty()) {  // an input that was left empty
    target->present = false;
    return Result::kOk;
  }
  return SetWord(plan, type, *piece, target) ? Result::kOk : Result::kType;
}

Result FillFromForm(const Plan& plan, const PlanHandler& message, Bytes body, Arena* arena,
                    Machine* machine, uint16_t* parameter) {
  const uint16_t count = static_cast<uint16_t>(message.parameters.size());
  uint64_t seen = 0;  // a bit for each parameter: there are at most 64
  while (!body.empty()) {
    FormField field;
    *parameter = count;
    if (!TakeFormField(&body, &field)) return Result::kType;
    for (uint16_t i = 0; i < count && *parameter == count; ++i) {
      if (FormNameIs(field.name, message.parameters[i].name)) *parameter = i;
    }
    if (*parameter == count || (seen >> *parameter & 1) != 0) return Result::kType;
    seen |= uint64_t{1} << *parameter;
    const Result result = SetField(plan, message.parameters[*parameter].type, field.value, arena,
                                   &machine->at(kFirstParameterSlot + *parameter));
    if (result != Result::kOk) return result;
  }
  return FillAbsent(message, seen, machine, parameter);
}

// Values are within the bounds of their types, or `type` as when they come with a request.
Result FillFromValues(const PlanHandler& handler, const Register* values, Arena* arena,
                      Machine* machine, uint16_t* parameter) {
  for (*parameter = 0; *parameter < handler.parameters.size(); ++*parameter) {
    const Type& type = handler.parameters[*parameter].type;
    const Register& value = values[*parameter];
    Register& target = machine->at(static_cast<uint16_t>(kFirstParameterSlot + *parameter));
    target = value;
    if (!value.present) {
      if (!type.option) return Result::kType;
      continue;
    }
    const bool out =
        type.kind == TypeKind::kInt && (value.number < type.low || value.number > type.high);
    if (out) return Result::kType;
    if (!type.is_octets()) continue;
    Bytes* const piece = arena->AllocateArray<Bytes>(1);
    if (piece == nullptr || !FlattenOctets(value.octets, arena, piece)) {
      return arena->at_limit() ? Result::kLimit : Result::kAllocation;
    }
    if (!SetOctets(type, piece, &target)) return Result::kType;
  }
  return Result::kOk;
}

}  // namespace

Result FillArguments(const Plan& plan, const PlanHandler& handler, const Arguments& arguments,
                     Arena* arena, Machine* machine, uint16_t* parameter) {
  if (arguments.values != nullptr) {
    return FillFromValues(handler, arguments.values, arena, machine, parameter);
  }
  const Bytes body = arguments.body;
  if (arguments.encoding == BodyEncoding::kJson) {
    return FillFromJson(plan, handler, body, arena, machine, parameter);
  }
  if (arguments.encoding == BodyEncoding::kForm || (!handler.takes_raw && body.empty())) {
    return FillFromForm(plan, handler, body, arena, machine, parameter);
  }
  *parameter = static_cast<uint16_t>(handler.parameters.size());
  if (!handler.takes_raw) return Result::kType;
  *parameter = 0;
  const Type& type = handler.parameters[0].type;
  if (body.size() > static_cast<uint64_t>(type.high)) return Result::kLimit;
  Bytes* const piece = arena->AllocateArray<Bytes>(1);
  if (piece == nullptr) return arena->at_limit() ? Result::kLimit : Result::kAllocation;
  *piece = body;
  return SetOctets(type, piece, &machine->at(kFirstParameterSlot)) ? Result::kOk : Result::kType;
}

}  // namespace pure::modules
