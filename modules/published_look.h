#pragma once

// PublishedLook: the newest look at a module's states, for threads other than the one that owns
// them. The owner publishes each look before anybody is told of its save, so what a thread takes is
// never older than an answer that was sent before.
//
// Threads: Publish: one. Refresh: any. Cost: Refresh of a look that is the newest already is one
// load; else a short lock. A look that was taken lives as long as its holder wants.

#include <atomic>
#include <cstdint>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "modules/look.h"

namespace pure::modules {

class PublishedLook {
 public:
  // REQUIRES: its commit is greater than that of the one before.
  void Publish(Look look) ABSL_LOCKS_EXCLUDED(mutex_);

  // Replaces *look when there is a newer one. True: it did. REQUIRES: one was published.
  bool Refresh(std::shared_ptr<const Look>* look) const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  std::atomic<uint64_t> commit_{0};  // of look_
  mutable absl::Mutex mutex_;
  std::shared_ptr<const Look> look_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace pure::modules
