#pragma once

// IoFailure: a call of the Files seam that failed, for decisions and for a person.

#include <string>

#include "absl/status/status.h"
#include "runtime/result.h"
#include "store/files.h"

namespace pure::store {

struct IoFailure {
  IoError error = IoError::kNone;
  // A sync failed: what was written since the last one may or may not be there, whatever a later
  // sync says.
  bool sync = false;
  std::string what;  // "sync of seg-0000000000000001"

  explicit operator bool() const { return error != IoError::kNone; }
};

// "sync of seg-0000000000000001: input/output error". Full disks and missing memory or descriptors
// are ResourceExhausted, refused files PermissionDenied, a lock FailedPrecondition, the rest
// Unavailable. OK for none.
absl::Status StatusOf(const IoFailure& failure);

// What a save that was refused for it, before a byte of it was written, ends with.
Result RefusalOf(IoError error);

// A sound answer to "the bytes are not what they were": exit 3. Names segment and offset.
absl::Status DamageStatus(uint64_t segment, uint64_t offset, Bytes what);

}  // namespace pure::store
