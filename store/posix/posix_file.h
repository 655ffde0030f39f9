#pragma once

// The File of Linux, on a descriptor. Private to //store/posix.

#include <memory>

#include "store/files.h"
#include "store/posix/file_descriptor.h"

namespace pure::store {

// REQUIRES: the descriptor is a plain file, open for reading, and for writing when `writable`; the
// bus guard is installed.
std::unique_ptr<File> NewPosixFile(FileDescriptor descriptor, bool writable);

}  // namespace pure::store
