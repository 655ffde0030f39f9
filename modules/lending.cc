#include "modules/lending.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <new>
#include <utility>

namespace pure::modules {
namespace {

// The value and its users. The list of parts follows it in the same memory.
struct Shared {
  std::atomic<uint32_t> users;
  Resource value;

  Bytes* parts() { return reinterpret_cast<Bytes*>(this + 1); }

  static void Return(void* shared, void* /*token*/) {
    auto* const self = static_cast<Shared*>(shared);
    if (self->users.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
    self->~Shared();
    ::operator delete(shared);
  }
};
static_assert(sizeof(Shared) % alignof(Bytes) == 0);

}  // namespace

bool LendParts(absl::Span<const Bytes> parts, bool keep, Resource* value, Resource* lent) {
  void* const memory = ::operator new(sizeof(Shared) + parts.size() * sizeof(Bytes), std::nothrow);
  if (memory == nullptr) return false;
  auto* const shared = new (memory) Shared{{keep ? 2u : 1u}, {}};
  std::uninitialized_copy(parts.begin(), parts.end(), shared->parts());
  shared->value = std::move(*value);
  *lent = Resource(absl::MakeConstSpan(shared->parts(), parts.size()), &Shared::Return, shared,
                   nullptr);
  if (keep) *value = Resource(shared->value.spans(), &Shared::Return, shared, nullptr);
  return true;
}

}  // namespace pure::modules
