#pragma once

// OpenLog: opens the directory of a store: checks everything, loads the index, and repairs what a
// cut left.
//
// Nothing is written before all checks have passed. What an unclean stop left unsealed is copied
// into a fresh segment, synced, and named by a new manifest before it is served (docs/durability.md
// says why).
//
// Thread: the caller's. Cost: reads the checkpoint, the frame headers and entries of the segments
// that it does not stand for, and the unsealed frames whole.

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/status/status.h"
#include "runtime/port.h"
#include "store/files.h"
#include "store/format.h"
#include "store/index.h"
#include "store/manifest.h"
#include "store/segment.h"
#include "store/tail_scan.h"

namespace pure::store {

struct LogOptions {
  uint64_t segment_bytes = 64u << 20;       // of a segment, once the store has grown to it
  uint64_t first_segment_bytes = 1u << 20;  // of the first; each is twice as long as the one before
  int lock_wait_ms = 250;
  bool read_only = false;
  Entropy* entropy = nullptr;  // for UUID and salts; not needed to read
  // Called now and then while it opens, with the bytes read and those to read; may be null.
  std::function<void(uint64_t done, uint64_t all)> progress = nullptr;
  // Called once, when a sync failed after opening; may be null.
  std::function<void()> on_failed_sync = nullptr;
};

struct OpenedLog {
  std::unique_ptr<DirectoryLock> lock;
  StoreUuid uuid;
  uint64_t epoch = 0;
  uint64_t next_segment = 1;
  uint64_t removed_seq = 0;  // as the manifest has them
  uint64_t removed_chain = 0;
  ManifestCheckpoint checkpoint;
  // In the order of the log. Not read-only: the last is the one to append to, at its end.
  std::vector<LogSegment> segments;
  LogSegment spare;  // made and named, without a frame; may be empty
  uint64_t last_seq = 0;
  uint64_t last_chain = 0;
  uint64_t copied_bytes = 0;            // by the repair
  std::unique_ptr<File> next_manifest;  // reserved; may be null
};

// NotFound: no store there, read-only. FailedPrecondition: locked, another version, another store's
// segment, or a directory of something else. DataLoss: damaged; nothing was changed.
// ResourceExhausted, PermissionDenied, Unavailable.
absl::Status OpenLog(Directory* directory, const LogOptions& options, Index* index,
                     OpenedLog* opened);

// The length of the segment after one of `length_bytes`, with room for a frame of `frame_bytes`.
uint64_t NextSegmentBytes(const LogOptions& options, uint64_t length_bytes, uint64_t frame_bytes);

}  // namespace pure::store
