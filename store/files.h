#pragma once

// Files: what the extent store needs of a file system: one directory of segment files. store/posix
// implements it on Linux, store/simulated on a disk in memory that knows synced from unsynced
// bytes, tears them and fails calls. store/testing/files_contract.h holds what both must keep.
//
// Lifetime: files, mappings and locks outlive their directory, mappings also their file.
//
// Threads: Directory and File: any thread, as the kernel allows (positional reads and writes).
//
// Errors: IoError carries the cause for decisions and for a person; never a C errno, which a
// simulated disk has none of. A call that failed has changed nothing, unless it says otherwise.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/types/span.h"
#include "runtime/bytes.h"

namespace pure::store {

// clang-format off
enum class [[nodiscard]] IoError : uint8_t {
  kNone,
  kNotFound,
  kExists,
  kNoSpace,      // ENOSPC, EDQUOT
  kTooLarge,     // EFBIG
  kDescriptors,  // EMFILE, ENFILE
  kMemory,       // ENOMEM
  kRefused,      // EACCES, EPERM, EROFS, a link where none may be, wrong owner or mode
  kLocked,       // somebody else holds the lock
  kInterrupted,  // EINTR that a retry could not clear
  kInputOutput,  // EIO, and everything else
};
// clang-format on
// For a person: "no space left on the device". kNone: "no error".
Bytes IoErrorText(IoError error);

// The file that Directory::Lock locks. An entry like any other; never removed.
inline constexpr Bytes kLockFileName = "LOCK";

// A read-only view of the beginning of a file: what is written is seen at once.
class Mapping {
 public:
  virtual ~Mapping() = default;
  // Reading a page that the disk can not deliver, or that a shortened file no longer has, may end
  // the process; Checksum goes through unharmed, so use it first where that matters.
  virtual Bytes bytes() const ABSL_ATTRIBUTE_LIFETIME_BOUND = 0;
  // CRC-32C of a range, continued from `crc` (0 begins one). A page that can not be read is
  // kInputOutput, never a signal; *crc is then unchanged. REQUIRES: the range lies inside bytes().
  virtual IoError Checksum(size_t offset, size_t size, uint32_t* crc) const = 0;
};

class File {
 public:
  virtual ~File() = default;  // closes
  virtual IoError Size(uint64_t* size_bytes) const = 0;
  // Reads exactly into.size() bytes; fewer there: kInputOutput.
  virtual IoError Read(uint64_t offset, MutableBytes into) const = 0;
  // Writes all of `spans`, one after the other, from `offset`, going on after short writes and
  // EINTR. On an error, *written_bytes says how many certainly reached the page cache (0: nothing
  // was written). kRefused: the file was not opened for writing; so for Sync and Allocate.
  virtual IoError Write(uint64_t offset, absl::Span<const Bytes> spans,
                        uint64_t* written_bytes) = 0;
  // Data and length durable (fdatasync). After an error nothing may be assumed, whatever a later
  // call says: the lost bytes go on being read, and the next Sync succeeds without them.
  virtual IoError Sync() = 0;
  // Reserves blocks for [0, size) and makes the length `size`; new bytes read as zeros. A longer
  // file keeps its length.
  virtual IoError Allocate(uint64_t size_bytes) = 0;
  // Maps [0, size). kInputOutput: the file is shorter.
  virtual IoError Map(uint64_t size_bytes, std::unique_ptr<Mapping>* mapping) = 0;
};

// The held lock of a directory; released at destruction.
class DirectoryLock {
 public:
  virtual ~DirectoryLock() = default;
};

// Names are plain: neither empty nor "." nor "..", and without a slash (kRefused).
class Directory {
 public:
  virtual ~Directory() = default;
  // Names of all entries, sorted.
  virtual IoError List(std::vector<std::string>* names) = 0;
  // A new file, exclusively (kExists), mode 0600, never through a link. Open for writing.
  virtual IoError Create(const std::string& name, std::unique_ptr<File>* file) = 0;
  // Never through a link, and plain files only (kRefused).
  virtual IoError Open(const std::string& name, bool writable, std::unique_ptr<File>* file) = 0;
  // Replaces `to` when it is there.
  virtual IoError Rename(const std::string& from, const std::string& to) = 0;
  // Open files and mappings of it stay usable.
  virtual IoError Remove(const std::string& name) = 0;
  // Names and renames durable (fsync of the directory). After an error: as File::Sync.
  virtual IoError Sync() = 0;
  // Exclusive among all processes and Directory objects, tried for `wait_ms`, then kLocked. The
  // lock file is made when missing.
  virtual IoError Lock(int wait_ms, std::unique_ptr<DirectoryLock>* lock) = 0;
};

}  // namespace pure::store
