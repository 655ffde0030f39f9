#pragma once

// Signals of a server: nothing is done in a handler. The signals that mean something are blocked on
// every thread and taken, one by one, by the thread that waits for them.
//
// Thread: make the SignalWaiter at the top of main, before any other thread starts (they inherit
// what is blocked). Wait belongs to one thread; Interrupt to any.

#include <signal.h>

#include <cstdint>

namespace pure {

enum class SignalEvent : uint8_t {
  kStop,       // SIGINT or SIGTERM
  kReload,     // SIGHUP
  kInterrupt,  // Interrupt() was called: the waiter looks at what it waits for
  kTimeout,
};

class SignalWaiter final {
 public:
  // Blocks SIGINT, SIGTERM, SIGHUP and SIGUSR1 on this thread. Ignores SIGPIPE and SIGXFSZ for the
  // process: a send to a closed connection and a write past a limit are errors of their calls
  // instead.
  SignalWaiter();
  // Unblocks what it blocked, on this thread; for tests.
  ~SignalWaiter();
  SignalWaiter(const SignalWaiter&) = delete;
  SignalWaiter& operator=(const SignalWaiter&) = delete;

  // Waits until one is there. A signal that came before is not lost.
  SignalEvent Wait();
  // The same, for `timeout_ms` at most; 0 only looks. REQUIRES: timeout_ms >= 0.
  SignalEvent WaitFor(int64_t timeout_ms);

  // Ends a wait that runs now, or else the next one. Several calls before that are one. (It is
  // SIGUSR1 to the own process, so somebody else's SIGUSR1 is the same.)
  void Interrupt();

 private:
  static SignalEvent EventOf(int signal);

  sigset_t waited_;
  sigset_t blocked_before_;
};

}  // namespace pure
