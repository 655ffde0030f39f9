#pragma once

// DiskOperation: one call that changed, or could have changed, a simulated disk; and the journal of
// them, from which every state of the disk can be rebuilt.

#include <cstdint>
#include <memory>
#include <string>

#include "runtime/bytes.h"
#include "store/files.h"

namespace pure::store {

// Every call of the seam, for counting and for faults; and a test's remark.
enum class CallKind : uint8_t {
  kList,
  kCreate,
  kOpen,
  kRename,
  kRemove,
  kSyncDirectory,
  kLock,
  kSize,
  kRead,
  kWrite,
  kSync,
  kAllocate,
  kMap,
  kChecksum,
  kMark,
};
inline constexpr int kCallKinds = static_cast<int>(CallKind::kMark) + 1;

Bytes CallKindName(CallKind kind);

// The label of marks that say "all saves up to `value` were answered as durable".
inline constexpr Bytes kAcknowledgedMark = "acknowledged";

// Journalled are Create (also that of the lock file), Rename, Remove, both Syncs, Write, Allocate,
// and marks.
struct DiskOperation {
  CallKind kind = CallKind::kMark;
  IoError error = IoError::kNone;  // what the caller was told
  uint32_t file = 0;               // the inode: never used twice on one disk; 0 for directory calls
  std::string name;                // of the file when it was opened; kMark: the label
  std::string to;                  // kRename
  uint64_t offset = 0;             // kWrite
  uint64_t size_bytes = 0;         // kWrite: asked for; kAllocate: the length; kMark: the value
  std::shared_ptr<const std::string> bytes;  // kWrite: what reached the page cache, never null
};

// True when it failed and no byte was written. A failed sync has an effect: doubt.
bool HadNoEffect(const DiskOperation& operation);

// "write seg-01 8192+4096", "sync seg-01: input/output error".
std::string DescribeOperation(const DiskOperation& operation);

}  // namespace pure::store
