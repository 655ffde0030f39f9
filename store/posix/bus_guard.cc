#include "store/posix/bus_guard.h"

#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>

#include <atomic>
#include <cstring>

#include "absl/base/attributes.h"
#include "runtime/check.h"
#include "store/crc32c.h"

namespace pure::store {
namespace {

// The page of a fault may begin before the range. No page is larger than this on Linux's usual
// configurations (64 KiB on arm64); a fault so near to a guarded range is the guarded read's own.
constexpr uintptr_t kPageBytesMax = 65536;

struct GuardedRange {
  uintptr_t begin = 0;
  uintptr_t end = 0;
  sigjmp_buf escape;
};

// What this thread reads under guard, or null. The model keeps its first use in a handler free of
// allocation also where the library is a shared one.
__attribute__((tls_model("initial-exec"))) thread_local GuardedRange* volatile guarded = nullptr;

// The handler before ours. Written before ours can run.
struct sigaction previous_action;

// As if ours were not there.
void PassOn(int signal_number, siginfo_t* info, void* context) {
  if ((previous_action.sa_flags & SA_SIGINFO) != 0) {
    previous_action.sa_sigaction(signal_number, info, context);
    return;
  }
  if (previous_action.sa_handler != SIG_DFL && previous_action.sa_handler != SIG_IGN) {
    previous_action.sa_handler(signal_number);
    return;
  }
  if (previous_action.sa_handler == SIG_IGN && info->si_code <= 0) return;
  // The default action ends the process when the faulting instruction runs again on return; a
  // signal that somebody sent has none, and is sent again. A fault can not be ignored.
  struct sigaction default_action = {};
  default_action.sa_handler = SIG_DFL;
  sigaction(signal_number, &default_action, nullptr);
  if (info->si_code <= 0) raise(signal_number);
}

void OnBusError(int signal_number, siginfo_t* info, void* context) {
  GuardedRange* range = guarded;
  const uintptr_t address = reinterpret_cast<uintptr_t>(info->si_addr);
  const bool is_fault = info->si_code > 0;  // raised by the kernel for an access
  if (range != nullptr && is_fault && address + kPageBytesMax > range->begin &&
      address < range->end) {
    guarded = nullptr;
    // What a return from here would do. The jump restores no mask, so that the guarded path needs
    // no system call to save one.
    const auto* interrupted = static_cast<const ucontext_t*>(context);
    static_cast<void>(pthread_sigmask(SIG_SETMASK, &interrupted->uc_sigmask, nullptr));
    siglongjmp(range->escape, 1);
  }
  PassOn(signal_number, info, context);
}

// Nothing of it may need a destructor: a fault leaves it by siglongjmp.
ABSL_ATTRIBUTE_NOINLINE uint32_t Checksum(Bytes bytes, uint32_t crc) {
  return ExtendCrc32c(crc, bytes);
}

bool InstallHandler() {
  // Builds the tables now: no fault may interrupt that.
  static_cast<void>(Checksum("tables", 0));
  struct sigaction action = {};
  action.sa_sigaction = OnBusError;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  const bool installed =
      sigaction(SIGBUS, nullptr, &previous_action) == 0 && sigaction(SIGBUS, &action, nullptr) == 0;
  PURE_CHECK(installed, "SIGBUS can be handled");
  return true;
}

}  // namespace

void InstallBusGuard() {
  static const bool installed = InstallHandler();
  static_cast<void>(installed);
}

bool GuardedChecksum(Bytes bytes, uint32_t* crc) {
  GuardedRange range;
  range.begin = reinterpret_cast<uintptr_t>(bytes.data());
  range.end = range.begin + bytes.size();
  if (sigsetjmp(range.escape, /*savemask=*/0) != 0) return false;
  guarded = &range;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  const uint32_t result = Checksum(bytes, *crc);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  guarded = nullptr;
  *crc = result;
  return true;
}

}  // namespace pure::store
