#include "runtime/result.h"

namespace pure {

Bytes ResultName(Result result) {
  switch (result) {
    case Result::kOk:
      return "none";
    case Result::kNotFound:
      return "not_found";
    case Result::kConflict:
      return "conflict";
    case Result::kBusy:
      return "store_busy";
    case Result::kBudget:
      return "payload_budget";
    case Result::kAllocation:
      return "allocation";
    case Result::kStopped:
      return "stopped";
    case Result::kDenied:
      return "denied";
    case Result::kLimit:
      return "limit";
    case Result::kFault:
      return "fault";
    case Result::kType:
      return "type";
    case Result::kUncertain:
      return "durability_unknown";
    case Result::kFull:
      return "storage_full";
    case Result::kStorage:
      return "storage";
  }
  return "storage";
}

}  // namespace pure
