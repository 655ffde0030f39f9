#include "store/io_failure.h"

#include "absl/strings/str_cat.h"
#include "store/format.h"

namespace pure::store {

absl::Status StatusOf(const IoFailure& failure) {
  const std::string text = absl::StrCat(failure.what, ": ", IoErrorText(failure.error));
  switch (failure.error) {
    case IoError::kNone:
      return absl::OkStatus();
    case IoError::kNoSpace:
    case IoError::kTooLarge:
    case IoError::kDescriptors:
    case IoError::kMemory:
      return absl::ResourceExhaustedError(text);
    case IoError::kRefused:
      return absl::PermissionDeniedError(text);
    case IoError::kLocked:
      return absl::FailedPreconditionError(text);
    case IoError::kNotFound:
    case IoError::kExists:
    case IoError::kInterrupted:
    case IoError::kInputOutput:
      return absl::UnavailableError(text);
  }
  return absl::UnavailableError(text);
}

Result RefusalOf(IoError error) {
  switch (error) {
    case IoError::kNone:
      return Result::kOk;
    case IoError::kNoSpace:
    case IoError::kTooLarge:
      return Result::kFull;
    case IoError::kMemory:
      return Result::kAllocation;
    case IoError::kNotFound:
    case IoError::kExists:
    case IoError::kDescriptors:
    case IoError::kRefused:
    case IoError::kLocked:
    case IoError::kInterrupted:
    case IoError::kInputOutput:
      return Result::kStorage;
  }
  return Result::kStorage;
}

absl::Status DamageStatus(uint64_t segment, uint64_t offset, Bytes what) {
  char name[kSegmentNameBytes];
  return absl::DataLossError(absl::StrCat("the store is damaged: ", SegmentName(segment, name),
                                          " at offset ", offset, ": ", what));
}

}  // namespace pure::store
