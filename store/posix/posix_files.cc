#include "store/posix/posix_files.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "store/posix/bus_guard.h"
#include "store/posix/file_descriptor.h"
#include "store/posix/file_system_type.h"
#include "store/posix/io_errno.h"
#include "store/posix/posix_directory.h"

namespace pure::store {
namespace {

absl::Status Failure(absl::StatusCode code, std::string_view path, std::string_view what) {
  return absl::Status(code, absl::StrCat("store directory ", path, ": ", what));
}

absl::Status FailureFromErrno(std::string_view path, int error_number) {
  switch (error_number) {
    case ENOENT:
      return Failure(absl::StatusCode::kNotFound, path,
                     "it does not exist, or a directory above it does not");
    case ENOTDIR:
      return Failure(absl::StatusCode::kFailedPrecondition, path, "not a directory");
    case EACCES:
    case EPERM:
    case EROFS:
      return Failure(absl::StatusCode::kPermissionDenied, path,
                     "this user may not open or create it");
    default:
      return Failure(absl::StatusCode::kUnavailable, path,
                     IoErrorText(IoErrorFromErrno(error_number)));
  }
}

absl::Status CheckOwner(int fd, const std::string& path) {
  struct stat status;
  if (fstat(fd, &status) != 0) return FailureFromErrno(path, errno);
  if (status.st_uid != geteuid()) {
    return Failure(absl::StatusCode::kPermissionDenied, path,
                   absl::StrCat("it belongs to user ", status.st_uid, ", the server runs as user ",
                                geteuid()));
  }
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return Failure(absl::StatusCode::kPermissionDenied, path,
                   "its group or others may write to it; take that away (chmod go-w)");
  }
  return absl::OkStatus();
}

absl::Status CheckFileSystem(int fd, const std::string& path) {
  uint64_t type = 0;
  const int error_number = FileSystemType(fd, &type);
  if (error_number != 0) return FailureFromErrno(path, error_number);
  const std::string_view name = UnsafeFileSystemName(type);
  if (name.empty()) return absl::OkStatus();
  return Failure(absl::StatusCode::kFailedPrecondition, path,
                 absl::StrCat("it is on a file system (", name,
                              ") that may lose what it says it has stored; use a local disk"));
}

// Also when the directory was there: the process that made it may have ended before this.
absl::Status SyncParent(int fd, const std::string& path, bool created) {
  const FileDescriptor parent(openat(fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (parent.valid() && fsync(parent.get()) == 0) return absl::OkStatus();
  // Whoever made an older directory for us may keep its parent closed to us, or read-only.
  const bool is_not_ours = errno == EACCES || errno == EPERM || errno == EROFS || errno == EINVAL;
  if (!created && is_not_ours) return absl::OkStatus();
  return FailureFromErrno(path, errno);
}

void IgnoreFileSizeSignal() {
  struct sigaction action = {};
  if (sigaction(SIGXFSZ, nullptr, &action) != 0 || (action.sa_flags & SA_SIGINFO) != 0 ||
      action.sa_handler != SIG_DFL) {
    return;
  }
  action = {};
  action.sa_handler = SIG_IGN;
  static_cast<void>(sigaction(SIGXFSZ, &action, nullptr));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Directory>> OpenDirectory(const std::string& path,
                                                         const OpenDirectoryOptions& options) {
  bool created = false;
  if (options.create) {
    created = mkdir(path.c_str(), S_IRWXU) == 0;
    if (!created && errno != EEXIST) return FailureFromErrno(path, errno);
  }
  FileDescriptor directory(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory.valid()) return FailureFromErrno(path, errno);
  absl::Status status = CheckOwner(directory.get(), path);
  if (status.ok() && !options.force_file_system) status = CheckFileSystem(directory.get(), path);
  if (status.ok()) status = SyncParent(directory.get(), path, created);
  if (!status.ok()) return status;
  InstallBusGuard();
  IgnoreFileSizeSignal();
  return NewPosixDirectory(std::move(directory));
}

}  // namespace pure::store
