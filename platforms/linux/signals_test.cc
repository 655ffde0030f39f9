#include "platforms/linux/signals.h"

#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

#include "gtest/gtest.h"
#include "platforms/linux/clock.h"

namespace pure {
namespace {

TEST(SignalWaiterTest, EachSignalIsTheEventThatItMeans) {
  SignalWaiter waiter;
  kill(getpid(), SIGINT);
  EXPECT_EQ(waiter.Wait(), SignalEvent::kStop);
  kill(getpid(), SIGTERM);
  EXPECT_EQ(waiter.Wait(), SignalEvent::kStop);
  kill(getpid(), SIGHUP);
  EXPECT_EQ(waiter.Wait(), SignalEvent::kReload);
  waiter.Interrupt();
  EXPECT_EQ(waiter.Wait(), SignalEvent::kInterrupt);
}

TEST(SignalWaiterTest, SignalsThatCameBeforeTheWaitAreNotLost) {
  SignalWaiter waiter;
  kill(getpid(), SIGHUP);
  kill(getpid(), SIGTERM);
  int stops = 0;
  int reloads = 0;
  for (;;) {
    const SignalEvent event = waiter.WaitFor(0);
    if (event == SignalEvent::kTimeout) break;
    stops += event == SignalEvent::kStop ? 1 : 0;
    reloads += event == SignalEvent::kReload ? 1 : 0;
  }
  EXPECT_EQ(stops, 1);
  EXPECT_EQ(reloads, 1);
}

TEST(SignalWaiterTest, ASecondStopIsSeenAfterTheFirst) {
  SignalWaiter waiter;
  kill(getpid(), SIGTERM);
  EXPECT_EQ(waiter.Wait(), SignalEvent::kStop);
  EXPECT_EQ(waiter.WaitFor(0), SignalEvent::kTimeout);
  kill(getpid(), SIGTERM);
  EXPECT_EQ(waiter.WaitFor(1'000), SignalEvent::kStop);
}

TEST(SignalWaiterTest, AWaitEndsAtItsTimeAndNotBefore) {
  SignalWaiter waiter;
  LinuxClock clock;
  const int64_t before_ns = clock.MonotonicNs();
  EXPECT_EQ(waiter.WaitFor(20), SignalEvent::kTimeout);
  EXPECT_GE(clock.MonotonicNs() - before_ns, 19'000'000);
}

TEST(SignalWaiterTest, OtherThreadsInheritWhatIsBlockedAndCanInterrupt) {
  SignalWaiter waiter;
  bool blocked = false;
  std::thread other([&] {
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, nullptr, &mask);
    blocked = sigismember(&mask, SIGINT) == 1 && sigismember(&mask, SIGTERM) == 1 &&
              sigismember(&mask, SIGHUP) == 1;
    kill(getpid(), SIGTERM);  // nobody but the waiter may take it
    waiter.Interrupt();
  });
  other.join();
  EXPECT_TRUE(blocked);
  const SignalEvent first = waiter.WaitFor(5'000);
  const SignalEvent second = waiter.WaitFor(5'000);
  EXPECT_TRUE((first == SignalEvent::kStop && second == SignalEvent::kInterrupt) ||
              (first == SignalEvent::kInterrupt && second == SignalEvent::kStop));
}

TEST(SignalWaiterTest, ASendToAClosedPeerIsAnErrorAndNotTheEnd) {
  SignalWaiter waiter;
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  close(pair[1]);
  EXPECT_EQ(write(pair[0], "x", 1), -1);
  EXPECT_EQ(errno, EPIPE);
  close(pair[0]);
  struct sigaction action {};
  ASSERT_EQ(sigaction(SIGXFSZ, nullptr, &action), 0);
  EXPECT_EQ(action.sa_handler, SIG_IGN);
}

}  // namespace
}  // namespace pure
