#pragma once

// AllocationCounter: how often memory was asked for since it was made. Linking it into a test
// replaces malloc and its family, so that operator new and what libraries ask for count too; under
// a sanitizer, which needs malloc for itself, it replaces operator new only (counts_malloc() says
// which). It proves "no allocation per request".
//
// Thread: the counter of Scope::kThread counts the thread that reads it, which must be the one that
// made it.

#include <cstdint>

namespace pure::testing {

class AllocationCounter {
 public:
  enum class Scope : uint8_t { kThread, kProcess };

  explicit AllocationCounter(Scope scope = Scope::kThread);

  // Since construction or Reset. A reallocation counts as one.
  uint64_t allocations() const;
  // What those calls asked for, before the allocator rounded it up.
  uint64_t bytes() const;
  void Reset();

  // False: only operator new is counted.
  static bool counts_malloc();

 private:
  struct Totals {
    uint64_t allocations = 0;
    uint64_t bytes = 0;
  };
  static Totals Now(Scope scope);

  const Scope scope_;
  Totals start_;
};

}  // namespace pure::testing
