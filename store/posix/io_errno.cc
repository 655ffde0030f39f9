#include "store/posix/io_errno.h"

#include <cerrno>

namespace pure::store {

IoError IoErrorFromErrno(int error_number) {
  switch (error_number) {
    case ENOENT:
      return IoError::kNotFound;
    case EEXIST:
      return IoError::kExists;
    case ENOSPC:
    case EDQUOT:
      return IoError::kNoSpace;
    case EFBIG:
      return IoError::kTooLarge;
    case EMFILE:
    case ENFILE:
      return IoError::kDescriptors;
    case ENOMEM:
      return IoError::kMemory;
    case EACCES:
    case EPERM:
    case EROFS:
    case ELOOP:   // a link, where O_NOFOLLOW allows none
    case EISDIR:  // a directory, where a file was asked for
    case ENXIO:   // a socket, or a pipe nobody reads
    case EBADF:   // a write through a descriptor that was opened for reading
      return IoError::kRefused;
    case EWOULDBLOCK:
      return IoError::kLocked;
    case EINTR:
      return IoError::kInterrupted;
    default:
      return IoError::kInputOutput;
  }
}

}  // namespace pure::store
