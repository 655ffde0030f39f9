#include "platforms/linux/waker.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "absl/memory/memory.h"
#include "absl/status/status.h"

namespace pure {

absl::StatusOr<std::unique_ptr<EventWaker>> EventWaker::Create() {
  const int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (fd < 0) return absl::ErrnoToStatus(errno, "can not make an event descriptor");
  return absl::WrapUnique(new EventWaker(fd));
}

EventWaker::~EventWaker() { close(fd_); }

void EventWaker::Wake() {
  const int saved_errno = errno;
  const uint64_t one = 1;
  // EAGAIN: the counter is full, so a wake-up is pending anyhow.
  while (write(fd_, &one, sizeof(one)) < 0 && errno == EINTR) {
  }
  errno = saved_errno;
}

bool EventWaker::Drain() {
  uint64_t count = 0;
  ssize_t size;
  do {
    size = read(fd_, &count, sizeof(count));
  } while (size < 0 && errno == EINTR);
  return size == sizeof(count);
}

}  // namespace pure
