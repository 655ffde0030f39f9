#include "platforms/linux/signals.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "runtime/check.h"

namespace pure {
namespace {

int64_t MonotonicMs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000 + now.tv_nsec / 1'000'000;
}

void Ignore(int signal) {
  struct sigaction action {};
  action.sa_handler = SIG_IGN;
  PURE_CHECK(sigaction(signal, &action, nullptr) == 0, "a signal can not be ignored");
}

}  // namespace

SignalWaiter::SignalWaiter() {
  sigemptyset(&waited_);
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) sigaddset(&waited_, signal);
  PURE_CHECK(pthread_sigmask(SIG_BLOCK, &waited_, &blocked_before_) == 0,
             "signals can not be blocked");
  Ignore(SIGPIPE);
  Ignore(SIGXFSZ);
}

SignalWaiter::~SignalWaiter() { pthread_sigmask(SIG_SETMASK, &blocked_before_, nullptr); }

SignalEvent SignalWaiter::Wait() {
  for (;;) {
    const int signal = sigwaitinfo(&waited_, nullptr);
    if (signal > 0) return EventOf(signal);
    PURE_CHECK(errno == EINTR, "signals can not be waited for");
  }
}

SignalEvent SignalWaiter::WaitFor(int64_t timeout_ms) {
  PURE_CHECK(timeout_ms >= 0, "a wait can not end in the past");
  const int64_t deadline_ms = MonotonicMs() + timeout_ms;
  for (;;) {
    const int64_t left_ms = std::max<int64_t>(deadline_ms - MonotonicMs(), 0);
    const timespec left{.tv_sec = static_cast<time_t>(left_ms / 1'000),
                        .tv_nsec = static_cast<long>(left_ms % 1'000 * 1'000'000)};
    const int signal = sigtimedwait(&waited_, nullptr, &left);
    if (signal > 0) return EventOf(signal);
    if (errno == EAGAIN && left_ms == 0) return SignalEvent::kTimeout;
    PURE_CHECK(errno == EAGAIN || errno == EINTR, "signals can not be waited for");
  }
}

void SignalWaiter::Interrupt() { kill(getpid(), SIGUSR1); }

SignalEvent SignalWaiter::EventOf(int signal) {
  switch (signal) {
    case SIGHUP:
      return SignalEvent::kReload;
    case SIGUSR1:
      return SignalEvent::kInterrupt;
    default:
      return SignalEvent::kStop;
  }
}

}  // namespace pure
