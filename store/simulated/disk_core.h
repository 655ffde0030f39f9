#pragma once

// DiskCore: what is behind a SimulatedDisk and shared with its directories, files and mappings.
// Private to //store/simulated.
//
// Threads: any; one lock inside.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "runtime/bytes.h"
#include "store/files.h"
#include "store/simulated/disk_image.h"
#include "store/simulated/disk_operation.h"
#include "store/simulated/simulated_disk.h"

namespace pure::store {

// The bytes behind mappings of one file; contiguous, unlike the pages of the image.
struct DiskView {
  struct Free {
    void operator()(char* memory) const { std::free(memory); }
  };
  std::unique_ptr<char[], Free> bytes;  // from calloc: zeros that nobody reads cost nothing
  size_t size_bytes = 0;
};

// The disk itself.
class DiskCore final {
 public:
  DiskCore(DiskImage image, const SimulatedDiskOptions& options)
      : image_(std::move(image)),
        capacity_bytes_(options.capacity_bytes),
        keep_journal_(options.keep_journal) {
    journal_.initial = image_;
  }

  // The seam's calls. `name` is only for the journal where `file` is given.
  IoError List(std::vector<std::string>* names);
  IoError Create(const std::string& name, uint32_t* file);
  IoError Open(const std::string& name, uint32_t* file);
  IoError Rename(const std::string& from, const std::string& to);
  IoError Remove(const std::string& name);
  IoError SyncDirectory();
  IoError Lock();
  IoError Size(uint32_t file, uint64_t* size_bytes);
  IoError Read(uint32_t file, uint64_t offset, MutableBytes into);
  IoError Write(uint32_t file, const std::string& name, uint64_t offset,
                absl::Span<const Bytes> spans, uint64_t* written_bytes);
  IoError Sync(uint32_t file, const std::string& name);
  IoError Allocate(uint32_t file, const std::string& name, uint64_t size_bytes);
  IoError Map(uint32_t file, uint64_t size_bytes, std::shared_ptr<const DiskView>* view);
  // Whether a checksum over the range may read it.
  IoError CheckReadable(uint32_t file, uint64_t offset, size_t size);
  void CloseFile(uint32_t file);
  void Unlock();

  // Behind SimulatedDisk's functions of the same names.
  void Mark(Bytes label, uint64_t value);
  DiskJournal journal() const;
  uint64_t calls(std::optional<CallKind> kind) const;
  void Inject(const DiskFault& fault);
  void ClearFaults();
  uint64_t faults_struck() const;
  void FailReads(const std::string& name, uint64_t offset, uint64_t size_bytes);
  void SetCapacity(uint64_t capacity_bytes);
  uint64_t used_bytes() const;
  DiskImage image() const;
  void Overwrite(const std::string& name, uint64_t offset, Bytes bytes);
  void Truncate(const std::string& name, uint64_t size_bytes);
  void DropCaches(uint64_t seed);

 private:
  struct UnreadableRange {
    uint32_t file = 0;
    uint64_t begin = 0;
    uint64_t end = 0;
  };
  struct ArmedFault {
    DiskFault fault;
    uint64_t matched = 0;
    bool struck = false;
  };

  // Counts the call and returns the error that an armed fault gives it.
  IoError Begin(CallKind kind, uint64_t* written_bytes = nullptr)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Makes the change, and writes it down.
  IoError Finish(DiskOperation operation) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  IoError CreateFile(const std::string& name, IoError fault, uint32_t* file)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsOpen(uint32_t file) const ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  uint64_t UsedBytes() const ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  // How far a file may grow now.
  uint64_t RoomBytes(uint32_t file) const ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  bool IsUnreadable(uint32_t file, uint64_t offset, uint64_t size) const
      ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  // Shows a change in the live mappings.
  void UpdateViews(uint32_t file, uint64_t offset, Bytes bytes)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RestartJournal() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  uint32_t MustFind(const std::string& name) const ABSL_SHARED_LOCKS_REQUIRED(mutex_);

  mutable absl::Mutex mutex_;
  DiskImage image_ ABSL_GUARDED_BY(mutex_);
  DiskJournal journal_ ABSL_GUARDED_BY(mutex_);
  std::array<uint64_t, kCallKinds> calls_ ABSL_GUARDED_BY(mutex_) = {};
  std::vector<ArmedFault> faults_ ABSL_GUARDED_BY(mutex_);
  std::vector<UnreadableRange> unreadable_ ABSL_GUARDED_BY(mutex_);
  std::map<uint32_t, int> open_counts_ ABSL_GUARDED_BY(mutex_);  // files and mappings
  std::map<uint32_t, std::vector<std::weak_ptr<DiskView>>> views_ ABSL_GUARDED_BY(mutex_);
  uint64_t capacity_bytes_ ABSL_GUARDED_BY(mutex_);
  bool locked_ ABSL_GUARDED_BY(mutex_) = false;
  const bool keep_journal_;
};

}  // namespace pure::store
