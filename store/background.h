#pragma once

// Background: the thread that works for an extent store off the commit path, in production.
//
// After each step it rests as long as that took, so that half of what the disk can do is left to
// the saves, unless they would have to wait for it.
//
// Lifetime: borrows store and clock; ends the thread at destruction, after the step it is in.
// Destroy it before Close.

#include <thread>

#include "absl/base/attributes.h"
#include "runtime/port.h"
#include "store/extent_store.h"

namespace pure::store {

class Background final {
 public:
  Background(ExtentStore* store ABSL_ATTRIBUTE_LIFETIME_BOUND,
             Clock* clock ABSL_ATTRIBUTE_LIFETIME_BOUND);
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

 private:
  ExtentStore* const store_;
  std::thread thread_;
};

}  // namespace pure::store
