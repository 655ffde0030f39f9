#pragma once

// Work in a process of its own: for memory that nobody has used before, and for a store that nobody
// closes.
//
// Thread: REQUIRES that the process has no other thread.

#include <cstring>
#include <string>
#include <type_traits>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace pure::bench {

// The octets that `work` gives in a child process, which ends without cleaning up. Errors: the
// work's own; Unavailable: no process, or it died.
absl::StatusOr<std::string> BytesFromChild(absl::FunctionRef<absl::StatusOr<std::string>()> work);

// The same for a plain value.
template <typename Value>
absl::StatusOr<Value> FromChild(absl::FunctionRef<absl::StatusOr<Value>()> work) {
  static_assert(std::is_trivially_copyable_v<Value>);
  const absl::StatusOr<std::string> bytes = BytesFromChild([work]() -> absl::StatusOr<std::string> {
    const absl::StatusOr<Value> value = work();
    if (!value.ok()) return value.status();
    return std::string(reinterpret_cast<const char*>(&*value), sizeof(Value));
  });
  if (!bytes.ok()) return bytes.status();
  Value value;
  std::memcpy(&value, bytes->data(), sizeof value);
  return value;
}

}  // namespace pure::bench
