#pragma once

// How much of a proof that never ends a run shall do. The environment says it, so that one flag of
// Bazel reaches tests in every language: `--test_env=PURE_TEST_EFFORT=20`.
//
// Thread: any.

#include <cstdint>

namespace pure::testing {

// How many times as much as a normal run: PURE_TEST_EFFORT, or 1.
uint64_t Effort();

// Where the seeds begin: PURE_TEST_SEED, or 0. A run with another one proves something new.
uint64_t FirstSeed();

}  // namespace pure::testing
