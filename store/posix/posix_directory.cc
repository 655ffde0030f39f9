#include "store/posix/posix_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include "store/posix/io_errno.h"
#include "store/posix/posix_file.h"

namespace pure::store {
namespace {

constexpr int64_t kLockRetryNs = 5'000'000;
constexpr int64_t kNsInMs = 1'000'000;

bool IsPlainName(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

int64_t MonotonicNs() {
  struct timespec now = {};
  static_cast<void>(clock_gettime(CLOCK_MONOTONIC, &now));
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

class PosixLock final : public DirectoryLock {
 public:
  explicit PosixLock(FileDescriptor descriptor) : descriptor_(std::move(descriptor)) {}
  // Closing alone would leave the lock with a child process that was forked meanwhile.
  ~PosixLock() override { static_cast<void>(flock(descriptor_.get(), LOCK_UN)); }

 private:
  const FileDescriptor descriptor_;
};

class PosixDirectory final : public Directory {
 public:
  explicit PosixDirectory(FileDescriptor descriptor) : descriptor_(std::move(descriptor)) {}

  IoError List(std::vector<std::string>* names) override;
  IoError Create(const std::string& name, std::unique_ptr<File>* file) override;
  IoError Open(const std::string& name, bool writable, std::unique_ptr<File>* file) override;
  IoError Rename(const std::string& from, const std::string& to) override;
  IoError Remove(const std::string& name) override;
  IoError Sync() override;
  IoError Lock(int wait_ms, std::unique_ptr<DirectoryLock>* lock) override;

 private:
  // kLocked: somebody else has it. kNotFound: the file was taken away meanwhile.
  IoError TryLock(std::unique_ptr<DirectoryLock>* lock);

  const FileDescriptor descriptor_;
};

IoError PosixDirectory::List(std::vector<std::string>* names) {
  // A descriptor of its own: the position of a shared one would be shared too.
  const int fd = openat(descriptor_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return IoErrorFromErrno(errno);
  DIR* directory = fdopendir(fd);
  if (directory == nullptr) {
    const IoError error = IoErrorFromErrno(errno);
    close(fd);
    return error;
  }
  names->clear();
  errno = 0;
  while (const dirent* entry = readdir(directory)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names->emplace_back(name);
    errno = 0;
  }
  const int error_number = errno;
  closedir(directory);
  if (error_number != 0) return IoErrorFromErrno(error_number);
  std::sort(names->begin(), names->end());
  return IoError::kNone;
}

IoError PosixDirectory::Create(const std::string& name, std::unique_ptr<File>* file) {
  if (!IsPlainName(name)) return IoError::kRefused;
  FileDescriptor descriptor(openat(descriptor_.get(), name.c_str(),
                                   O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                   S_IRUSR | S_IWUSR));
  if (!descriptor.valid()) return IoErrorFromErrno(errno);
  *file = NewPosixFile(std::move(descriptor), /*writable=*/true);
  return IoError::kNone;
}

IoError PosixDirectory::Open(const std::string& name, bool writable, std::unique_ptr<File>* file) {
  if (!IsPlainName(name)) return IoError::kRefused;
  // O_NONBLOCK: opening a pipe that somebody put there must not wait; it means nothing to a file.
  const int flags = (writable ? O_RDWR : O_RDONLY) | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  FileDescriptor descriptor(openat(descriptor_.get(), name.c_str(), flags));
  if (!descriptor.valid()) return IoErrorFromErrno(errno);
  struct stat status;
  if (fstat(descriptor.get(), &status) != 0) return IoErrorFromErrno(errno);
  const bool is_ours = S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
                       (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  if (!is_ours) return IoError::kRefused;
  *file = NewPosixFile(std::move(descriptor), writable);
  return IoError::kNone;
}

IoError PosixDirectory::Rename(const std::string& from, const std::string& to) {
  if (!IsPlainName(from) || !IsPlainName(to)) return IoError::kRefused;
  const int fd = descriptor_.get();
  return renameat(fd, from.c_str(), fd, to.c_str()) == 0 ? IoError::kNone : IoErrorFromErrno(errno);
}

IoError PosixDirectory::Remove(const std::string& name) {
  if (!IsPlainName(name)) return IoError::kRefused;
  return unlinkat(descriptor_.get(), name.c_str(), 0) == 0 ? IoError::kNone
                                                           : IoErrorFromErrno(errno);
}

IoError PosixDirectory::Sync() {
  return fsync(descriptor_.get()) == 0 ? IoError::kNone : IoErrorFromErrno(errno);
}

IoError PosixDirectory::TryLock(std::unique_ptr<DirectoryLock>* lock) {
  const std::string name(kLockFileName);
  FileDescriptor descriptor(
      openat(descriptor_.get(), name.c_str(),
             O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, S_IRUSR | S_IWUSR));
  if (!descriptor.valid()) return IoErrorFromErrno(errno);
  if (flock(descriptor.get(), LOCK_EX | LOCK_NB) != 0) return IoErrorFromErrno(errno);
  // The lock is worth something only while its file is the one that others would find.
  struct stat locked;
  struct stat named;
  if (fstat(descriptor.get(), &locked) != 0) return IoErrorFromErrno(errno);
  if (!S_ISREG(locked.st_mode)) return IoError::kRefused;
  if (fstatat(descriptor_.get(), name.c_str(), &named, AT_SYMLINK_NOFOLLOW) != 0) {
    return IoErrorFromErrno(errno);
  }
  if (locked.st_ino != named.st_ino || locked.st_dev != named.st_dev) return IoError::kNotFound;
  *lock = std::make_unique<PosixLock>(std::move(descriptor));
  return IoError::kNone;
}

IoError PosixDirectory::Lock(int wait_ms, std::unique_ptr<DirectoryLock>* lock) {
  const int64_t deadline_ns = MonotonicNs() + wait_ms * kNsInMs;
  while (true) {
    const IoError error = TryLock(lock);
    const bool may_pass =
        error == IoError::kLocked || error == IoError::kInterrupted || error == IoError::kNotFound;
    if (!may_pass || MonotonicNs() >= deadline_ns) return error;
    const struct timespec pause = {.tv_sec = 0, .tv_nsec = kLockRetryNs};
    static_cast<void>(nanosleep(&pause, nullptr));
  }
}

}  // namespace

std::unique_ptr<Directory> NewPosixDirectory(FileDescriptor descriptor) {
  return std::make_unique<PosixDirectory>(std::move(descriptor));
}

}  // namespace pure::store
