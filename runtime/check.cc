#include "runtime/check.h"

#include <atomic>

namespace pure {
namespace {

std::atomic<CheckReporter> installed_reporter{nullptr};

}  // namespace

void SetCheckReporter(CheckReporter reporter) {
  installed_reporter.store(reporter, std::memory_order_release);
}

void CheckFailed(const char* file, int line, const char* condition, const char* reason) {
  const CheckReporter reporter = installed_reporter.load(std::memory_order_acquire);
  if (reporter != nullptr) reporter(file, line, condition, reason);
  __builtin_trap();
}

}  // namespace pure
