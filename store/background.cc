#include "store/background.h"

#include <algorithm>
#include <cstdint>

namespace pure::store {
namespace {

constexpr int kQuietMs = 100;
constexpr int64_t kRestMaxUs = 1000 * 1000;

void Work(ExtentStore* store, Clock* clock) {
  const int64_t begin_ns = clock->MonotonicNs();
  (void)store->DoBackgroundWork();
  if (store->BackgroundIsUrgent()) return;
  store->RestBackground(std::min((clock->MonotonicNs() - begin_ns) / 1000, kRestMaxUs));
}

void Run(ExtentStore* store, Clock* clock) {
  for (;;) {
    switch (store->AwaitBackgroundWork(kQuietMs)) {
      case ExtentStore::Awaited::kWork:
        Work(store, clock);
        break;
      case ExtentStore::Awaited::kQuiet:
        store->SealTail();
        break;
      case ExtentStore::Awaited::kStopped:
        return;
    }
  }
}

}  // namespace

Background::Background(ExtentStore* store, Clock* clock)
    : store_(store), thread_([store, clock] { Run(store, clock); }) {}

Background::~Background() {
  store_->StopBackground();
  thread_.join();
}

}  // namespace pure::store
