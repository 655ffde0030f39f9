#include "platforms/linux/standard_descriptors.h"

#include <fcntl.h>
#include <unistd.h>

#include <initializer_list>

namespace pure {

bool HoldStandardDescriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) != -1) continue;
    // Those below it are open, so this is the number that is given.
    if (open("/dev/null", O_RDONLY) != fd) return false;
  }
  return true;
}

}  // namespace pure
