#pragma once

// The Files seam on Linux: a directory of the real file system, opened once and reached through its
// descriptor only, so that no later renaming or change of the working directory leads elsewhere.

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "store/files.h"

namespace pure::store {

struct OpenDirectoryOptions {
  bool create = true;  // when it is missing, with mode 0700; its parents never
  // Also on NFS, SMB, FUSE and the like, whose locks and syncs may not do what they say.
  bool force_file_system = false;
};

// Opens the directory, which must belong to this process's user and be writable by nobody else. Its
// own name is made durable. Installs the handler of SIGBUS (bus_guard.h), and ignores SIGXFSZ
// unless the program handles it, so that a file-size limit is an error (kTooLarge) and not the end.
// kNotFound, kPermissionDenied, kFailedPrecondition (not a directory, wrong file system),
// kUnavailable (anything else): the text says what to do. A refused directory is left as it was.
absl::StatusOr<std::unique_ptr<Directory>> OpenDirectory(const std::string& path,
                                                         const OpenDirectoryOptions& options = {});

}  // namespace pure::store
