#include "tests/testing/effort.h"

#include <cstdlib>

#include "absl/strings/numbers.h"
#include "runtime/check.h"

namespace pure::testing {
namespace {

uint64_t FromEnvironment(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  if (text == nullptr) return otherwise;
  uint64_t value = 0;
  // A long run that silently was a short one would prove what it did not do.
  PURE_CHECK(absl::SimpleAtoi(text, &value), "PURE_TEST_EFFORT and PURE_TEST_SEED are numbers");
  return value;
}

}  // namespace

uint64_t Effort() {
  const uint64_t effort = FromEnvironment("PURE_TEST_EFFORT", 1);
  PURE_CHECK(effort > 0, "PURE_TEST_EFFORT is at least 1");
  return effort;
}

uint64_t FirstSeed() { return FromEnvironment("PURE_TEST_SEED", 0); }

}  // namespace pure::testing
