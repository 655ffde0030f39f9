#pragma once

// TokenAccess: who may, by a token file that can be read anew while requests are answered.
// Thread: Allows and NeedsToken any; Reload one at a time.

#include <memory>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "platforms/server/tokens.h"
#include "transport/access.h"

namespace pure::server {

class TokenAccess final : public transport::Access {
 public:
  // `path` empty: nobody needs a token.
  explicit TokenAccess(std::string path) : path_(std::move(path)) {}

  // Reads the file; on an error what held before still holds.
  absl::Status Reload();

  bool NeedsToken() const override { return !path_.empty(); }
  bool Allows(Bytes bearer) const override;

 private:
  const std::string path_;
  mutable absl::Mutex mutex_;
  std::shared_ptr<const Tokens> tokens_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace pure::server
