#pragma once

// io_errno: from the kernel's error numbers to IoError.

#include "store/files.h"

namespace pure::store {

// REQUIRES: error_number != 0.
IoError IoErrorFromErrno(int error_number);

}  // namespace pure::store
