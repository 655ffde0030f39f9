#include "store/background.h"

#include <algorithm>
#include <chrono>

namespace pure::store {
namespace {

constexpr int kQuietMs = 100;
constexpr int64_t kRestMaxUs = 1000 * 1000;

void Work(ExtentStore* store) {
  const auto begin = std::chrono::steady_clock::now();
  (void)store->DoBackgroundWork();
  if (store->BackgroundIsUrgent()) return;
  // As long as the step took: half of what the disk can do is left to the saves.
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - begin);
  store->RestBackground(std::min<int64_t>(took.count(), kRestMaxUs));
}

void Run(ExtentStore* store) {
  for (;;) {
    switch (store->AwaitBackgroundWork(kQuietMs)) {
      case ExtentStore::Awaited::kWork:
        Work(store);
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

Background::Background(ExtentStore* store) : store_(store), thread_([store] { Run(store); }) {}

Background::~Background() {
  store_->StopBackground();
  thread_.join();
}

}  // namespace pure::store
