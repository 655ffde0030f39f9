#include "modules/json_arguments.h"

#include <yyjson.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "modules/parameter_values.h"
#include "modules/scope.h"

namespace pure::modules {
namespace {

// The reader's memory. Nothing is given back before the arena is.
yyjson_alc MemoryOf(Arena* arena) {
  yyjson_alc memory = {};
  memory.ctx = arena;
  memory.malloc = [](void* context, size_t size) {
    return static_cast<Arena*>(context)->Allocate(size);
  };
  memory.realloc = [](void* context, void* old, size_t old_size, size_t size) -> void* {
    void* const memory_now = static_cast<Arena*>(context)->Allocate(size);
    if (memory_now != nullptr) std::memcpy(memory_now, old, std::min(old_size, size));
    return memory_now;
  };
  memory.free = [](void*, void*) {};
  return memory;
}

// A whole number of 64 bits.
bool NumberOf(yyjson_val* value, int64_t* number) {
  if (yyjson_is_sint(value)) {
    *number = yyjson_get_sint(value);
    return true;
  }
  if (!yyjson_is_uint(value)) return false;
  const uint64_t magnitude = yyjson_get_uint(value);
  *number = static_cast<int64_t>(magnitude);
  return magnitude <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
}

Result SetValue(const Plan& plan, const Type& type, yyjson_val* value, Arena* arena,
                Register* target) {
  if (yyjson_is_null(value)) {
    *target = Register{.present = false};
    return type.option ? Result::kOk : Result::kType;
  }
  int64_t number = 0;
  bool right = false;
  if (type.is_octets() || type.kind == TypeKind::kChoice) {
    if (!yyjson_is_str(value)) return Result::kType;
    Bytes* const piece = arena->AllocateArray<Bytes>(1);
    if (piece == nullptr) return arena->at_limit() ? Result::kLimit : Result::kAllocation;
    *piece = Bytes(yyjson_get_str(value), yyjson_get_len(value));
    right = type.is_octets() ? SetOctets(type, piece, target) : SetCase(plan, type, *piece, target);
  } else if (type.kind == TypeKind::kBool) {
    right = yyjson_is_bool(value);
    number = yyjson_get_bool(value) ? 1 : 0;
    *target = Register{.number = number};
  } else {
    right = NumberOf(value, &number) && SetNumber(type, number, target);
  }
  return right ? Result::kOk : Result::kType;
}

}  // namespace

Result FillFromJson(const Plan& plan, const PlanHandler& handler, Bytes body, Arena* arena,
                    Machine* machine, uint16_t* parameter) {
  const auto count = static_cast<uint16_t>(handler.parameters.size());
  *parameter = count;
  const yyjson_alc memory = MemoryOf(arena);
  // The reader does not change the body: without the flag for that it copies it.
  yyjson_doc* const document =
      yyjson_read_opts(const_cast<char*>(body.data()), body.size(), 0, &memory, nullptr);
  if (document == nullptr) return arena->at_limit() ? Result::kLimit : Result::kType;
  yyjson_val* const object = yyjson_doc_get_root(document);
  if (!yyjson_is_obj(object)) return Result::kType;
  uint64_t seen = 0;  // a bit for each parameter: there are at most 64
  yyjson_obj_iter members = yyjson_obj_iter_with(object);
  while (yyjson_val* const key = yyjson_obj_iter_next(&members)) {
    const Bytes name(yyjson_get_str(key), yyjson_get_len(key));
    *parameter = count;
    for (uint16_t i = 0; i < count && *parameter == count; ++i) {
      if (name == handler.parameters[i].name) *parameter = i;
    }
    if (*parameter == count || (seen >> *parameter & 1) != 0) return Result::kType;
    seen |= uint64_t{1} << *parameter;
    const Result result =
        SetValue(plan, handler.parameters[*parameter].type, yyjson_obj_iter_get_val(key), arena,
                 &machine->at(static_cast<uint16_t>(kFirstParameterSlot + *parameter)));
    if (result != Result::kOk) return result;
  }
  return FillAbsent(handler, seen, machine, parameter);
}

}  // namespace pure::modules
