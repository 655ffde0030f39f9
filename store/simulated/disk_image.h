#pragma once

// DiskImage: everything that a simulated disk and its page cache hold at one instant; a value.
//
// It is changed by operations only, so a journal rebuilds it exactly. For each file it knows what
// reads show, and for every sector, length and name that was not synced what a power cut may leave:
// the old one, the new one, or any one in between. These are the *unsettled* changes; each survives
// a power cut independently. A failed sync makes those it should have settled *doubtful*: they go
// on being read, and no later sync settles them; only writing them anew does.
//
// Cost: a copy takes a pointer a file; files and pages are shared until one side changes.
// Threads: as PageTable.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "runtime/bytes.h"
#include "store/simulated/disk_operation.h"
#include "store/simulated/page_table.h"
#include "store/simulated/random.h"

namespace pure::store {

// One change that a power cut may undo.
struct UnsettledChange {
  enum class Kind : uint8_t { kSector, kLength, kName };
  Kind kind = Kind::kSector;
  uint32_t file = 0;
  uint64_t sector = 0;  // kSector
  size_t version = 0;   // the how-manyth of its sector, its file's lengths, or the names
  uint64_t serial = 0;  // of the operation that made it: their order
};

// A sector's bytes from elsewhere on the disk: a never written one of another file may show them.
struct StaleSector {
  uint32_t file = 0;
  std::shared_ptr<const Sector> bytes;
};

struct PowerCutStyle {
  // Sectors at the first and last place of a write may be cut at any byte: old and new bytes mixed.
  bool torn_edges = false;
  // What sectors that never were durably written hold: zeros, else random or stale bytes.
  bool garbage = false;
  absl::Span<const StaleSector> stale;
  uint64_t seed = 0;  // of the cuts and of the garbage
};

class DiskImage {
 public:
  // Replays one operation with the outcome that it had.
  void Apply(const DiskOperation& operation);

  // What a running system sees. 0: no such name.
  uint32_t FileOf(const std::string& name) const;
  std::vector<std::string> Names() const;
  uint64_t SizeOf(uint32_t file) const;
  // Beyond the end: zeros.
  void Read(uint32_t file, uint64_t offset, MutableBytes into) const;
  // From the beginning, into zeros.
  void ReadIntoZeros(uint32_t file, MutableBytes into) const;
  // Of a whole file; empty when there is none of this name.
  std::string Content(const std::string& name) const;
  uint32_t NextFile() const { return next_file_; }

  // Everything that is not certain to be on the disk, in the order of its making. A sector that was
  // written with the bytes that it had counts as certain.
  std::vector<UnsettledChange> Unsettled() const;
  // What is left after a power cut that kept unsettled[i] where survives[i]. Nothing in the result
  // is unsettled. REQUIRES: `unsettled` is Unsettled() of this image, `survives` as long.
  DiskImage AfterPowerCut(absl::Span<const UnsettledChange> unsettled,
                          const std::vector<bool>& survives, const PowerCutStyle& style) const;
  // A power cut with random choices; the shares of survivors differ from seed to seed.
  DiskImage AfterRandomPowerCut(uint64_t seed) const;
  // What is left when only the process ends: everything that was written. It stays unsettled.
  DiskImage AfterKill() const { return *this; }

  // Changes disk and cache behind everybody's back (rot, an operator); durable at once.
  void Overwrite(uint32_t file, uint64_t offset, Bytes bytes);
  void Truncate(uint32_t file, uint64_t size_bytes);
  // The page cache forgets clean pages: doubtful sectors of `file` show what the disk holds, chosen
  // from the seed; what was doubtful is settled by that.
  void DropCache(uint32_t file, uint64_t seed);
  // Forgets the files that no name leads to, now or after any power cut, unless `is_open(file)`.
  void ForgetUnreachable(absl::FunctionRef<bool(uint32_t file)> is_open);
  // Of all files that a name leads to or that `is_open(file)`, in whole pages.
  uint64_t UsedBytes(absl::FunctionRef<bool(uint32_t file)> is_open) const;

 private:
  struct SectorVersion {
    std::shared_ptr<const Sector> bytes;
    uint64_t serial = 0;
    bool edge = false;      // first or last sector of its write
    bool doubtful = false;  // a sync failed after it
  };
  struct SectorHistory {
    std::shared_ptr<const Sector> before;  // durable
    bool before_written = false;
    std::vector<SectorVersion> versions;  // oldest first; reads show the last
  };
  struct LengthVersion {
    uint64_t size_bytes = 0;
    uint64_t serial = 0;
    bool doubtful = false;
  };
  struct FileState {
    PageTable pages;                            // what reads show
    uint64_t size_bytes = 0;                    // what reads show
    uint64_t durable_bytes = 0;                 // the length after a power cut
    std::map<uint64_t, SectorHistory> sectors;  // unsettled ones
    std::vector<LengthVersion> lengths;

    bool settled() const { return sectors.empty() && lengths.empty(); }
  };
  enum class Standing : uint8_t { kPending, kDoubtful, kDurable };
  struct NameChange {
    CallKind kind = CallKind::kCreate;
    std::string name;
    std::string to;
    uint32_t file = 0;
    uint64_t serial = 0;
    Standing standing = Standing::kPending;
  };
  using NameMap = std::map<std::string, uint32_t>;

  static void ApplyName(const NameChange& change, NameMap* names);
  void ChangeName(const DiskOperation& operation);
  void Write(FileState* file, uint64_t offset, Bytes bytes);
  void Lengthen(FileState* file, uint64_t size_bytes);
  static void SyncFile(FileState* file, bool failed);
  void SyncNames(bool failed);
  NameMap NamesAfterPowerCut(absl::Span<const UnsettledChange> unsettled,
                             const std::vector<bool>& survives) const;
  // The file with every unsettled change undone.
  static std::shared_ptr<FileState> Undone(const FileState& file);
  static void Redo(const UnsettledChange& change, const FileState& from, Random* tear,
                   FileState* file);
  static void FillGarbage(uint32_t number, const PowerCutStyle& style, Random* random,
                          FileState* file);
  const FileState* Find(uint32_t file) const;
  FileState* Mutable(uint32_t file);

  std::map<uint32_t, std::shared_ptr<FileState>> files_;
  NameMap names_;
  NameMap durable_names_;
  std::vector<NameChange> name_changes_;  // since durable_names_ was true
  uint32_t next_file_ = 1;
  uint64_t serial_ = 0;  // of the newest operation
};

}  // namespace pure::store
