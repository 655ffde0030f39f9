#pragma once

// LogOpener: the steps of opening a log, in their order. Private to OpenLog, which it is the body
// of.

#include <cstdint>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/status/status.h"
#include "store/files.h"
#include "store/index.h"
#include "store/index_load.h"
#include "store/log_open.h"
#include "store/manifest.h"
#include "store/tail_scan.h"

namespace pure::store {

class LogOpener {
 public:
  LogOpener(Directory* directory, const LogOptions& options, Index* index, OpenedLog* opened)
      : directory_(directory),
        options_(options),
        load_(index, [this](uint64_t bytes) { CountRead(bytes); }),
        opened_(opened) {}

  absl::Status Run();

 private:
  absl::Status ReadNames();
  absl::Status ReadOrMakeManifest();
  absl::Status OpenSegments();
  bool LoadCheckpoint();
  bool Covers(const ManifestSegment& record) const;
  absl::Status LoadSealed();
  absl::Status ScanUnsealed();
  absl::Status CheckOrphans();
  absl::Status FinishReadOnly();
  absl::Status FinishClean();
  absl::Status SettleManifest();
  absl::Status Repair();
  absl::Status RetireOpenSegments(std::vector<TailFrame>* frames);
  absl::Status MakeFreshSegment(const std::vector<TailFrame>& frames);
  absl::Status WriteNewManifest();
  // Of a segment that no manifest names any more; if it can not be removed, a later opening does
  // it.
  void RemoveSegment(uint64_t id);
  // Of checkpoints that no manifest names any more.
  void RemoveCheckpoints();
  void CountRead(uint64_t bytes);
  // The frame before those of open_.
  void FindSealedEnd();

  Directory* const directory_;
  const LogOptions& options_;
  IndexLoad load_;
  OpenedLog* const opened_;
  bool has_manifest_ = false;
  std::vector<uint64_t> names_;        // ids of the segment files
  std::vector<uint64_t> checkpoints_;  // ids of the checkpoint files
  Manifest manifest_;                  // as read
  std::vector<uint64_t> orphans_;      // segment files that no manifest names
  std::vector<LogSegment> open_;       // segments that are not sealed
  std::vector<TailFrame> tail_;        // unsealed frames that hold
  std::vector<LogSegment> replaced_;   // that the new manifest no longer names
  uint64_t read_bytes_ = 0;
  uint64_t to_read_bytes_ = 0;
};

}  // namespace pure::store
