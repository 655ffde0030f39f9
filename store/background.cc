#include "store/background.h"

namespace pure::store {

Background::Background(ExtentStore* store)
    : store_(store), thread_([store] {
        while (store->AwaitBackgroundWork()) (void)store->DoBackgroundWork();
      }) {}

Background::~Background() {
  store_->StopBackground();
  thread_.join();
}

}  // namespace pure::store
