#include "store/files.h"

namespace pure::store {

Bytes IoErrorText(IoError error) {
  switch (error) {
    case IoError::kNone:
      return "no error";
    case IoError::kNotFound:
      return "no such file or directory";
    case IoError::kExists:
      return "the file exists";
    case IoError::kNoSpace:
      return "no space left on the device";
    case IoError::kTooLarge:
      return "the file is too large";
    case IoError::kDescriptors:
      return "too many open files";
    case IoError::kMemory:
      return "out of memory";
    case IoError::kRefused:
      return "permission denied, or a file of a wrong kind, owner or mode";
    case IoError::kLocked:
      return "locked by another process";
    case IoError::kInterrupted:
      return "interrupted";
    case IoError::kInputOutput:
      return "input/output error";
  }
  return "unknown error";
}

}  // namespace pure::store
