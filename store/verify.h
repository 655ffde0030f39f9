#pragma once

// VerifyLog: checks every byte of every save of an open log. Private to the extent store.
// Thread: any; the log may grow meanwhile, what comes later is not looked at.

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "store/extent_store.h"
#include "store/log.h"

namespace pure::store {

absl::Status VerifyLog(const Log& log, VerifyReport* report,
                       const std::function<void(uint64_t done, uint64_t all)>& progress);

}  // namespace pure::store
