#include "modules/arguments.h"

#include <algorithm>
#include <limits>

#include "modules/form.h"
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

// The register's octets are `*piece`, if they are what `type` allows.
bool SetOctets(const Type& type, const Bytes* piece, Register* target) {
  const int64_t size = static_cast<int64_t>(piece->size());
  if (size < type.low || size > type.high) return false;
  if (type.kind == TypeKind::kText && !IsUtf8(*piece)) return false;
  if (type.kind == TypeKind::kSlug && !IsSlug(*piece)) return false;
  target->octets = OctetsOf(piece);
  target->present = true;
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
      return ParseInt(text, &target->number) && target->number >= type.low &&
             target->number <= type.high;
    case TypeKind::kChoice:
      target->number = plan.choices.Find(type.choice, text);
      return target->number >= 0;
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

Result FillFromForm(const Plan& plan, const PlanMessage& message, Bytes body, Arena* arena,
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
  for (uint16_t i = 0; i < count; ++i) {
    if ((seen >> i & 1) != 0) continue;
    *parameter = i;
    if (!message.parameters[i].type.option) return Result::kType;
    machine->at(kFirstParameterSlot + i).present = false;
  }
  return Result::kOk;
}

}  // namespace

Result FillArguments(const Plan& plan, const PlanMessage& message, Bytes body,
                     BodyEncoding encoding, Arena* arena, Machine* machine, uint16_t* parameter) {
  if (encoding == BodyEncoding::kForm || (!message.takes_raw && body.empty())) {
    return FillFromForm(plan, message, body, arena, machine, parameter);
  }
  *parameter = static_cast<uint16_t>(message.parameters.size());
  if (!message.takes_raw) return Result::kType;
  *parameter = 0;
  const Type& type = message.parameters[0].type;
  if (body.size() > static_cast<uint64_t>(type.high)) return Result::kLimit;
  Bytes* const piece = arena->AllocateArray<Bytes>(1);
  if (piece == nullptr) return arena->at_limit() ? Result::kLimit : Result::kAllocation;
  *piece = body;
  return SetOctets(type, piece, &machine->at(kFirstParameterSlot)) ? Result::kOk : Result::kType;
}

}  // namespace pure::modules
