#include "platforms/linux/waker.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>

#include <cerrno>
#include <thread>
#include <utility>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"

namespace pure {
namespace {

bool Readable(int fd, int timeout_ms) {
  pollfd entry{.fd = fd, .events = POLLIN, .revents = 0};
  return poll(&entry, 1, timeout_ms) == 1 && (entry.revents & POLLIN) != 0;
}

std::unique_ptr<EventWaker> Make() {
  absl::StatusOr<std::unique_ptr<EventWaker>> waker = EventWaker::Create();
  EXPECT_TRUE(waker.ok()) << waker.status();
  return *std::move(waker);
}

TEST(EventWakerTest, AWakeUpIsReadableUntilItIsDrained) {
  const auto waker = Make();
  EXPECT_FALSE(Readable(waker->fd(), 0));
  EXPECT_FALSE(waker->Drain());
  waker->Wake();
  EXPECT_TRUE(Readable(waker->fd(), 0));
  EXPECT_TRUE(waker->Drain());
  EXPECT_FALSE(Readable(waker->fd(), 0));
}

TEST(EventWakerTest, SeveralWakeUpsAreOne) {
  const auto waker = Make();
  for (int i = 0; i < 1000; ++i) waker->Wake();
  EXPECT_TRUE(waker->Drain());
  EXPECT_FALSE(waker->Drain());
}

TEST(EventWakerTest, AWakeUpEndsAWaitThatRunsOnAnotherThread) {
  const auto waker = Make();
  int handed_over = 0;
  std::thread other([&] {
    handed_over = 42;
    waker->Wake();
  });
  EXPECT_TRUE(Readable(waker->fd(), 10'000));
  EXPECT_TRUE(waker->Drain());
  EXPECT_EQ(handed_over, 42);
  other.join();
}

TEST(EventWakerTest, ErrnoIsLeftAlone) {
  const auto waker = Make();
  errno = ENOENT;
  waker->Wake();
  EXPECT_EQ(errno, ENOENT);
}

TEST(EventWakerTest, TheDescriptorIsNotInheritedAndDoesNotBlock) {
  const auto waker = Make();
  EXPECT_NE(fcntl(waker->fd(), F_GETFD) & FD_CLOEXEC, 0);
  EXPECT_NE(fcntl(waker->fd(), F_GETFL) & O_NONBLOCK, 0);
}

TEST(EventWakerTest, WithoutDescriptorsItSaysSo) {
  rlimit old_limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &old_limit), 0);
  rlimit none = old_limit;
  none.rlim_cur = 0;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const absl::StatusOr<std::unique_ptr<EventWaker>> waker = EventWaker::Create();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &old_limit), 0);
  ASSERT_FALSE(waker.ok());
  EXPECT_NE(waker.status().message().find("event descriptor"), std::string::npos) << waker.status();
}

}  // namespace
}  // namespace pure
