#pragma once

// Manifest: which segments make up a store, and how far each is known to be durable. One small
// file, replaced as a whole: written aside, synced, renamed over the old one, and the directory
// synced. The room for the next one is reserved, so that a segment can be given back on a disk
// without one free block.
//
// No frame goes into a segment that the durable manifest does not name, so a segment that is
// missing is noticed, and one that is not named holds nothing that was acknowledged.
//
// Thread: any; no state.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "runtime/bytes.h"
#include "store/files.h"
#include "store/format.h"
#include "store/io_failure.h"

namespace pure::store {

inline constexpr char kManifestName[] = "MANIFEST";
inline constexpr char kManifestNewName[] = "MANIFEST.tmp";

struct ManifestSegment {
  uint64_t id = 0;
  uint64_t length_bytes = 0;
  uint64_t salt = 0;
  // Frames in [kSegmentHeaderBytes, end_bytes) were synced when this was written. Nothing there may
  // be bad.
  uint64_t end_bytes = kSegmentHeaderBytes;
  // Before the first of those frames, and after the last; all 0 when there are none.
  uint64_t base_seq = 0;
  uint64_t base_chain = 0;
  uint64_t last_seq = 0;
  uint64_t last_chain = 0;
  bool sealed = false;  // no frame lies beyond end_bytes, whatever is there

  bool has_frames() const { return end_bytes > kSegmentHeaderBytes; }
};

// A file that stands for the entries of all frames up to one (checkpoint_format.h).
struct ManifestCheckpoint {
  uint64_t id = 0;  // 0: there is none
  uint64_t size_bytes = 0;
  uint64_t covers_seq = 0;  // sealed segments that end there or before need not be walked
};

struct Manifest {
  StoreUuid uuid;
  uint64_t epoch = 0;         // counts the openings for writing
  uint64_t next_segment = 1;  // no segment had this id or a higher one
  bool clean =
      false;  // closed, and not opened for writing since: nothing lies beyond any end_bytes
  // The newest frame of all segments that are gone: its seq and chain; 0: none. The log may go on
  // behind it.
  uint64_t removed_seq = 0;
  uint64_t removed_chain = 0;
  ManifestCheckpoint checkpoint = {};
  std::vector<ManifestSegment> segments = {};  // in the order of the log
};

// Whole blocks, and at least so many bytes.
std::string EncodeManifest(const Manifest& manifest, uint64_t bytes_min = 0);
// kVersion: *version is the other version.
Decoded DecodeManifest(Bytes bytes, Manifest* manifest, uint32_t* version);

// NotFound: there is none. DataLoss: damaged. FailedPrecondition: of another version.
absl::Status ReadManifest(Directory* directory, Manifest* manifest);

// Into `reserved`, where that is given. After a failure that is no failed sync, the old manifest
// stands.
IoFailure WriteManifest(Directory* directory, const Manifest& manifest,
                        std::unique_ptr<File> reserved = nullptr);

// Reserves the room that the manifest after this one takes, with a segment more. Null: there is
// none, and the next WriteManifest has to find it. What another run reserved is not used: its bytes
// may be lost where the page cache still shows them.
std::unique_ptr<File> ReserveManifest(Directory* directory, const Manifest& manifest);

}  // namespace pure::store
