#pragma once

// SimulatedDisk: the Files seam on a disk in memory, for tests. It knows synced from unsynced
// bytes, fails the calls that a test chooses, and keeps a journal from which crash_enumerator.h
// builds what a kill or a power cut may leave. A restart is a new SimulatedDisk on such an image.
//
// Lifetime: directories, files, mappings and locks may outlive the disk; they go on working on it.
// Threads: any; one lock inside. Everything is decided by the calls and the seeds alone.

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/bytes.h"
#include "store/files.h"
#include "store/simulated/disk_image.h"
#include "store/simulated/disk_operation.h"

namespace pure::store {

// What was done to a disk since it was started (or changed from behind), and what it held before.
struct DiskJournal {
  DiskImage initial;
  std::vector<DiskOperation> operations;
};

// A call that shall fail.
struct DiskFault {
  std::optional<CallKind> kind = std::nullopt;  // none: any call counts (marks do not)
  uint64_t skip = 0;                            // that many matching calls succeed first
  IoError error = IoError::kInputOutput;
  bool for_ever = false;  // so do all matching calls after it
  // kWrite: at most that many bytes reach the page cache before the failure, and are reported.
  uint64_t written_bytes = 0;
};

struct SimulatedDiskOptions {
  uint64_t capacity_bytes = std::numeric_limits<uint64_t>::max();
  bool keep_journal = true;  // false: for long runs; journal() then has no operations
};

class DiskCore;

class SimulatedDisk final {
 public:
  // An empty directory.
  SimulatedDisk();
  explicit SimulatedDisk(DiskImage image, const SimulatedDiskOptions& options = {});
  explicit SimulatedDisk(const SimulatedDiskOptions& options);
  ~SimulatedDisk();
  SimulatedDisk(const SimulatedDisk&) = delete;
  SimulatedDisk& operator=(const SimulatedDisk&) = delete;

  std::unique_ptr<Directory> OpenDirectory();

  // --- the record ---
  // Puts a remark into the journal.
  void Mark(Bytes label, uint64_t value);
  // The remark that all saves up to `seq` were answered as durable.
  void Acknowledge(uint64_t seq) { Mark(kAcknowledgedMark, seq); }
  DiskJournal journal() const;
  // Calls of the seam up to now, failed ones included, marks not.
  uint64_t calls() const;
  uint64_t calls(CallKind kind) const;

  // --- faults; several may be armed at a time ---
  void Inject(const DiskFault& fault);
  // Disarms all faults and heals all unreadable ranges. What a failed sync lost stays lost.
  void ClearFaults();
  // How many armed faults have struck at least once.
  uint64_t faults_struck() const;
  // Read and Checksum of any byte of the range give kInputOutput. REQUIRES: the file is there.
  void FailReads(const std::string& name, uint64_t offset, uint64_t size_bytes);
  // Write and Allocate that would go beyond it give kNoSpace; a write puts down what fits.
  void SetCapacity(uint64_t capacity_bytes);
  // Whole pages of all files that have a name or are open.
  uint64_t used_bytes() const;

  // --- ends; the disk itself goes on undisturbed ---
  DiskImage KillImage() const;                   // F1: the process ends, the page cache stays
  DiskImage PowerCutImage(uint64_t seed) const;  // F2: random choices
  DiskImage LoseUnsyncedImage() const;           // F2: nothing that is not synced survives

  // --- from behind (rot, operators): durable at once; the journal begins anew ---
  // REQUIRES: the file is there.
  void Overwrite(const std::string& name, uint64_t offset, Bytes bytes);
  void Truncate(const std::string& name, uint64_t size_bytes);
  // Memory pressure: where a failed sync lost bytes, files without a mapping show the disk's.
  void DropCaches(uint64_t seed);

  // --- to look at; not calls of the seam ---
  std::vector<std::string> Names() const;
  // As reads show it. Empty when there is no such file.
  std::string Content(const std::string& name) const;

 private:
  std::shared_ptr<DiskCore> core_;
};

}  // namespace pure::store
