#include "bench/store/directory_use.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "absl/strings/str_cat.h"

namespace pure::bench {
namespace {

constexpr uint64_t kStatBlockBytes = 512;  // the unit of st_blocks, whatever the file system's is

}  // namespace

absl::StatusOr<DirectorySize> SizeOfDirectory(const std::string& path) {
  DIR* const directory = opendir(path.c_str());
  if (directory == nullptr) return absl::ErrnoToStatus(errno, absl::StrCat("opening ", path));
  DirectorySize size;
  errno = 0;
  while (const dirent* const entry = readdir(directory)) {
    struct stat file;
    if (fstatat(dirfd(directory), entry->d_name, &file, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(file.st_mode)) {
      size.file_bytes += static_cast<uint64_t>(file.st_size);
      size.disk_bytes += static_cast<uint64_t>(file.st_blocks) * kStatBlockBytes;
    }
    errno = 0;
  }
  const int error = errno;
  closedir(directory);
  if (error != 0) return absl::ErrnoToStatus(error, absl::StrCat("reading ", path));
  return size;
}

void DirectoryMeter::Sample() {
  const absl::StatusOr<DirectorySize> size = SizeOfDirectory(path_);
  if (!size.ok()) {
    failure_.Update(size.status());
    return;
  }
  ++samples_;
  peak_ = {.file_bytes = std::max(peak_.file_bytes, size->file_bytes),
           .disk_bytes = std::max(peak_.disk_bytes, size->disk_bytes)};
  sum_.file_bytes += size->file_bytes;
  sum_.disk_bytes += size->disk_bytes;
}

absl::StatusOr<DirectoryUse> DirectoryMeter::use() const {
  if (!failure_.ok()) return failure_;
  if (samples_ == 0) return absl::FailedPreconditionError("the directory was not sampled");
  return DirectoryUse{
      .samples = samples_,
      .peak = peak_,
      .mean = {.file_bytes = sum_.file_bytes / samples_, .disk_bytes = sum_.disk_bytes / samples_}};
}

}  // namespace pure::bench
