#include "platforms/linux/descriptor_limit.h"

#include <sys/resource.h>

#include <cerrno>

#include "absl/status/status.h"

namespace pure {

absl::StatusOr<uint64_t> RaiseDescriptorLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return absl::ErrnoToStatus(errno, "can not read the limit of open descriptors");
  }
  if (limit.rlim_cur != limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) {
      return absl::ErrnoToStatus(errno, "can not raise the limit of open descriptors");
    }
  }
  return uint64_t{limit.rlim_cur};
}

}  // namespace pure
