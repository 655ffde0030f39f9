#pragma once

// RealStore: an extent store as the server has it: real files, and its thread in the background.
//
// Lifetime: destroying it without Close is as a kill. Handles of the store are destroyed before it.

#include <memory>
#include <string>

#include "absl/base/attributes.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "platforms/linux/clock.h"
#include "platforms/linux/entropy.h"
#include "store/background.h"
#include "store/extent_store.h"

namespace pure::bench {

class RealStore final {
 public:
  // Makes the directory when it is missing, its parents never. `options.entropy` is its own.
  // Errors: as OpenDirectory and ExtentStore::Open.
  static absl::StatusOr<std::unique_ptr<RealStore>> Open(const std::string& directory,
                                                         store::ExtentStoreOptions options);
  // As Open, but FailedPrecondition when there are keys already.
  static absl::StatusOr<std::unique_ptr<RealStore>> Make(const std::string& directory,
                                                         store::ExtentStoreOptions options);

  store::ExtentStore* store() ABSL_ATTRIBUTE_LIFETIME_BOUND { return store_.get(); }
  // Ends the background and closes the store. No commit may run.
  absl::Status Close();

 private:
  RealStore() = default;

  LinuxEntropy entropy_;
  LinuxClock clock_;
  std::unique_ptr<store::ExtentStore> store_;
  std::unique_ptr<store::Background> background_;  // null after Close
};

}  // namespace pure::bench
