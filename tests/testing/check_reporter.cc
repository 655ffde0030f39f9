// Linked into a test, it lets failed checks say why, so that death tests can match the reason.

#include <cstdio>

#include "runtime/check.h"

namespace {

void Report(const char* file, int line, const char* condition, const char* reason) {
  std::fprintf(stderr, "%s:%d: check failed: %s: %s\n", file, line, condition, reason);
  std::fflush(stderr);
}

[[maybe_unused]] const bool installed = (pure::SetCheckReporter(&Report), true);

}  // namespace
