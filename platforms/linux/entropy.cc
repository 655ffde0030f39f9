#include "platforms/linux/entropy.h"

#include <sys/random.h>

#include <cerrno>

#include "runtime/check.h"

namespace pure {

uint64_t LinuxEntropy::Next() {
  uint64_t bits = 0;
  ssize_t size;
  do {
    size = getrandom(&bits, sizeof(bits), 0);
  } while (size < 0 && errno == EINTR);
  // Up to 256 bytes come whole once the kernel has any (random(7)). Going on with guessable bits
  // would be worse than stopping.
  PURE_CHECK(size == sizeof(bits), "the kernel gives no random bits");
  return bits;
}

}  // namespace pure
