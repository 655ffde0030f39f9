#pragma once

// PURE_CHECK: always on, for mistakes of the programmer only; the process stops with the reason.
// Expected errors of the environment (disk, network, memory, input) are results, never checks.
// Stopping is safe at any instant: the store survives a kill between any two instructions.

#include "absl/base/optimization.h"

namespace pure {

// Says what failed, where people look for it. Called on the failing thread with whatever it holds
// still held: it must take no lock and no memory, and check nothing. It may end the process; when
// it returns, the core does. Two threads that fail at once both report.
using CheckReporter = void (*)(const char* file, int line, const char* condition,
                               const char* reason);

// Installs the reporter of the process, or none (null, as at the start). The core knows no console:
// whoever puts the program together installs one (platforms/linux/check_reporter.h). Thread: any.
void SetCheckReporter(CheckReporter reporter);

// Calls the reporter, then ends the process by a trap.
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition,
                              const char* reason);

}  // namespace pure

#define PURE_CHECK(condition, reason)                              \
  do {                                                             \
    if (ABSL_PREDICT_FALSE(!(condition))) {                        \
      ::pure::CheckFailed(__FILE__, __LINE__, #condition, reason); \
    }                                                              \
  } while (false)
