#pragma once

// ThreadRole: a capability with no lock behind it. State that belongs to one thread is marked
// ABSL_GUARDED_BY(role), and functions that must run there ABSL_EXCLUSIVE_LOCKS_REQUIRED(role); the
// lint build (clang, -Wthread-safety) turns a call from elsewhere into an error. It costs nothing
// at run time.

#include "absl/base/thread_annotations.h"

namespace pure {

class ABSL_LOCKABLE ThreadRole {
 public:
  // Says "this thread has the role", once, at the top of the thread's function.
  void Assume() const ABSL_ASSERT_EXCLUSIVE_LOCK() {}
};

}  // namespace pure
