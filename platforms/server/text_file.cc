#include "platforms/server/text_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace pure::server {
namespace {

absl::Status CheckKind(const struct stat& info, const std::string& path, FilePrivacy privacy) {
  if (!S_ISREG(info.st_mode)) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": is no regular file"));
  }
  if (privacy == FilePrivacy::kAny) return absl::OkStatus();
  if (info.st_uid != geteuid() && info.st_uid != 0) {
    return absl::PermissionDeniedError(absl::StrCat(path, ": belongs to user ", info.st_uid,
                                                    ", not to user ", geteuid(), " who runs this"));
  }
  if ((info.st_mode & 077) != 0) {
    return absl::PermissionDeniedError(
        absl::StrFormat("%s: has mode %04o; others must not reach it: chmod 600 %s", path,
                        info.st_mode & 07777, path));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> ReadTextFile(const std::string& path, size_t limit_bytes,
                                         FilePrivacy privacy) {
  // Without O_NONBLOCK, opening a FIFO would wait for a writer.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return absl::ErrnoToStatus(errno, absl::StrCat(path, ": can not be opened"));
  const auto close_fd = absl::MakeCleanup([fd] { close(fd); });
  struct stat info {};
  if (fstat(fd, &info) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat(path, ": can not be looked at"));
  }
  if (absl::Status status = CheckKind(info, path, privacy); !status.ok()) return status;
  std::string text;
  char part[4096];
  for (;;) {
    const ssize_t size = read(fd, part, sizeof(part));
    if (size == 0) return text;
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return absl::ErrnoToStatus(errno, absl::StrCat(path, ": can not be read"));
    text.append(part, static_cast<size_t>(size));
    if (text.size() > limit_bytes) {
      return absl::ResourceExhaustedError(
          absl::StrCat(path, ": is larger than ", limit_bytes, " bytes"));
    }
  }
}

}  // namespace pure::server
