// A library to preload: each fdatasync and fsync takes PURE_SLOW_SYNC_US microseconds longer, as on
// a slow disk. So any server is measured as it is.

#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <ctime>

namespace {

using SyncCall = int (*)(int);

void Delay() {
  static const long delay_us = [] {
    const char* const text = std::getenv("PURE_SLOW_SYNC_US");
    return text == nullptr ? 0L : std::atol(text);
  }();
  timespec rest = {.tv_sec = delay_us / 1'000'000, .tv_nsec = delay_us % 1'000'000 * 1000};
  while (nanosleep(&rest, &rest) != 0 && errno == EINTR) {
  }
}

int SlowSync(SyncCall call, int descriptor) {
  const int result = call(descriptor);
  const int error = errno;
  Delay();
  errno = error;
  return result;
}

}  // namespace

extern "C" int fdatasync(int descriptor) {
  static const auto call = reinterpret_cast<SyncCall>(dlsym(RTLD_NEXT, "fdatasync"));
  return SlowSync(call, descriptor);
}

extern "C" int fsync(int descriptor) {
  static const auto call = reinterpret_cast<SyncCall>(dlsym(RTLD_NEXT, "fsync"));
  return SlowSync(call, descriptor);
}
