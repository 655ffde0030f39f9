#pragma once

// OwnPages: what the server answers under /-/: health, readiness, statistics.
// Thread: any. Lifetime: borrows its parts.

#include <atomic>

#include "platforms/server/server_statistics.h"
#include "store/store.h"
#include "transport/pages.h"

namespace pure::server {

class OwnPages final : public transport::Pages {
 public:
  OwnPages(const ServerStatistics* statistics, const store::Store* store)
      : statistics_(statistics), store_(store) {}

  bool Render(Bytes path, transport::Page* page) const override;

  // From now on the server is not ready: it stops.
  void SetStopping() { stopping_.store(true, std::memory_order_relaxed); }

 private:
  const ServerStatistics* const statistics_;
  const store::Store* const store_;
  std::atomic<bool> stopping_{false};
};

}  // namespace pure::server
