#pragma once

// Background: the thread that works for an extent store off the commit path, in production.
//
// Lifetime: borrows the store; ends the thread at destruction, after the step it is in. Destroy it
// before Close.

#include <thread>

#include "absl/base/attributes.h"
#include "store/extent_store.h"

namespace pure::store {

class Background final {
 public:
  explicit Background(ExtentStore* store ABSL_ATTRIBUTE_LIFETIME_BOUND);
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

 private:
  ExtentStore* const store_;
  std::thread thread_;
};

}  // namespace pure::store
