#pragma once

// The Directory of Linux, on a descriptor. Private to //store/posix.

#include <memory>

#include "store/files.h"
#include "store/posix/file_descriptor.h"

namespace pure::store {

// REQUIRES: the descriptor is a directory; the bus guard is installed.
std::unique_ptr<Directory> NewPosixDirectory(FileDescriptor descriptor);

}  // namespace pure::store
