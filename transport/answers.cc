#include "transport/answers.h"

namespace pure::transport {

StatusLine StatusOf(Result result) {
  switch (result) {
    case Result::kOk:
      return {200, false};
    case Result::kNotFound:
      return {404, false};
    case Result::kConflict:
      return {412, false};
    case Result::kBusy:
    case Result::kBudget:
    case Result::kAllocation:
    case Result::kStopped:
      return {503, true};
    case Result::kDenied:
      return {403, false};
    case Result::kLimit:
      return {413, false};
    case Result::kFault:
      return {409, false};
    case Result::kType:
      return {422, false};
    case Result::kUncertain:
    case Result::kStorage:
      return {500, false};
    case Result::kFull:
      return {507, false};
  }
  return {500, false};
}

}  // namespace pure::transport
