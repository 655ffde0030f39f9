#pragma once

// How much of the disk a directory's files take: now, or watched while a store works in it.

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace pure::bench {

struct DirectorySize {
  uint64_t file_bytes = 0;  // lengths of its files (st_size)
  uint64_t disk_bytes = 0;  // what the file system holds for them (st_blocks * 512)

  uint64_t most() const { return file_bytes > disk_bytes ? file_bytes : disk_bytes; }
};

// Of the regular files in the directory itself. One that vanishes meanwhile does not count.
absl::StatusOr<DirectorySize> SizeOfDirectory(const std::string& path);

struct DirectoryUse {
  uint64_t samples = 0;
  DirectorySize peak;  // each field's own
  DirectorySize mean;
};

// Gathers samples of a directory's size. Thread: one. Cost: a system call a file and sample.
class DirectoryMeter final {
 public:
  explicit DirectoryMeter(std::string path) : path_(std::move(path)) {}

  void Sample();
  // Of the samples so far. Errors: as the first sample that failed; FailedPrecondition: none taken.
  absl::StatusOr<DirectoryUse> use() const;

 private:
  const std::string path_;
  absl::Status failure_;
  uint64_t samples_ = 0;
  DirectorySize peak_;
  DirectorySize sum_;
};

}  // namespace pure::bench
