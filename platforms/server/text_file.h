#pragma once

// Reads small text files of the operator: flag files, token files.

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"

namespace pure::server {

enum class FilePrivacy {
  kAny,
  kOwnerOnly,  // belongs to this user or to root, and group and others may do nothing with it
};

// The whole file. Errors name the file and the reason: it can not be opened, is no regular file, is
// larger than `limit_bytes`, or is less private than asked for.
absl::StatusOr<std::string> ReadTextFile(const std::string& path, size_t limit_bytes,
                                         FilePrivacy privacy);

}  // namespace pure::server
