#include "platforms/server/token_access.h"

#include <utility>

namespace pure::server {

absl::Status TokenAccess::Reload() {
  if (path_.empty()) return absl::OkStatus();
  absl::StatusOr<std::shared_ptr<const Tokens>> tokens = Tokens::Load(path_);
  if (!tokens.ok()) return tokens.status();
  const absl::MutexLock lock(&mutex_);
  tokens_ = *std::move(tokens);
  return absl::OkStatus();
}

bool TokenAccess::Allows(Bytes bearer) const {
  if (path_.empty()) return true;
  std::shared_ptr<const Tokens> tokens;
  {
    const absl::MutexLock lock(&mutex_);
    tokens = tokens_;
  }
  return tokens != nullptr && tokens->Find(bearer) != nullptr;
}

}  // namespace pure::server
