#pragma once

// StoreCopy: copies a store into an empty directory: a backup while a server has the store open, or
// the way back.
//
// Frames never change once they are written, and nothing is acknowledged before a durable manifest
// names its segment. So the segments that one reading of the manifest names hold everything that
// was acknowledged before, and may be copied while more is appended to them. The copy keeps UUID,
// ids, salts and offsets, to which the checksums are bound. It leaves out segments without frames,
// and whatever the manifest does not name.
//
// Thread: one thread's. Lifetime: holds the source's segments open, so that it may remove them
// meanwhile; borrows the directories for each call.

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/status/status.h"
#include "store/files.h"
#include "store/manifest.h"
#include "store/tail_scan.h"

namespace pure::store {

struct CopyCounts {
  uint64_t segments = 0;
  uint64_t frames = 0;
  uint64_t frame_bytes = 0;
};

class StoreCopy final {
 public:
  enum class Source : uint8_t {
    kLive,  // another process may have it open; no lock is taken
    kIdle,  // locked as long as this lives, where a lock can be taken (not on a read-only medium)
  };

  // Finds what there is to copy. The source is not changed, but for its lock file. NotFound: there
  // is no store. FailedPrecondition: in use (kIdle), or of another format version. DataLoss:
  // damaged, with segment and offset. ResourceExhausted, PermissionDenied, Unavailable. Once.
  absl::Status Open(Directory* source, Source kind);

  // Writes the copy, reads it back and checks every byte, and only then names it in a manifest, as
  // a store that was closed. `progress` is called now and then with the bytes copied and of all.
  // FailedPrecondition: the directory is not empty; it was not touched. DataLoss: the source is
  // damaged: segment, offset and, for a value, its key. Aborted: a sync failed. Else as Open. After
  // an error the directory holds no store; what was written is removed if it can be, but after a
  // failed sync, when a whole store may be there. REQUIRES: Open gave OK.
  absl::Status WriteTo(Directory* destination, CopyCounts* counts,
                       const std::function<void(uint64_t done, uint64_t all)>& progress = nullptr);

  const StoreUuid& uuid() const ABSL_ATTRIBUTE_LIFETIME_BOUND { return manifest_.uuid; }

 private:
  absl::Status OpenSegments(Directory* source);
  absl::Status ReadTail();

  std::unique_ptr<DirectoryLock> lock_;
  Manifest manifest_;                 // of the source; its segments stand below
  std::vector<LogSegment> segments_;  // with how far each is copied
};

}  // namespace pure::store
