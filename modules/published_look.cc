#include "modules/published_look.h"

#include <utility>

namespace pure::modules {

void PublishedLook::Publish(Look look) {
  auto next = std::make_shared<const Look>(std::move(look));
  const uint64_t commit = next->commit;
  std::shared_ptr<const Look> before;  // its last holder frees it, without the lock
  {
    absl::MutexLock lock(&mutex_);
    before = std::exchange(look_, std::move(next));
  }
  commit_.store(commit, std::memory_order_release);
}

bool PublishedLook::Refresh(std::shared_ptr<const Look>* look) const {
  if (*look != nullptr && (*look)->commit == commit_.load(std::memory_order_acquire)) return false;
  absl::MutexLock lock(&mutex_);
  *look = look_;
  return true;
}

}  // namespace pure::modules
