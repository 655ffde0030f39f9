#include "store/posix/bus_guard.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "gtest/gtest.h"
#include "store/posix/file_descriptor.h"
#include "store/posix/temporary_directory.h"

namespace pure::store {
namespace {

constexpr size_t kSize = 1 << 18;

// A mapping of kSize bytes over a file that was cut to `left` bytes.
class CutMapping final {
 public:
  explicit CutMapping(off_t left)
      : file_(open(temporary_.Path("a").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    EXPECT_EQ(ftruncate(file_.get(), kSize), 0);
    memory_ = mmap(nullptr, kSize, PROT_READ, MAP_SHARED, file_.get(), 0);
    EXPECT_NE(memory_, MAP_FAILED);
    EXPECT_EQ(ftruncate(file_.get(), left), 0);
  }
  ~CutMapping() { munmap(memory_, kSize); }

  Bytes bytes() const { return Bytes(static_cast<const char*>(memory_), kSize); }

 private:
  TemporaryDirectory temporary_;
  FileDescriptor file_;
  void* memory_ = nullptr;
};

// What the process got out of a child that ran `body`: its exit code, or 1000 + the signal.
template <typename Body>
int RunInChild(const Body& body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(0);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

void SetAction(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigaction(SIGBUS, &action, nullptr);
}

void ExitOnSignal(int signal_number) {
  static_cast<void>(signal_number);
  _exit(42);
}

void ExitOnFault(int signal_number, siginfo_t* info, void* context) {
  static_cast<void>(context);
  _exit(signal_number == SIGBUS && info->si_addr != nullptr ? 43 : 44);
}

// A death test of its own for each: the handler is installed once in a process, and here it must
// find what was there before. The sanitizers' own handlers make other ends of the default one.
void TouchUnguarded(const CutMapping& mapping) {
  const volatile char* last = mapping.bytes().data() + kSize - 1;
  static_cast<void>(*last);
}

TEST(BusGuardTest, AForeignFaultReachesTheHandlerThatWasThere) {
  const CutMapping mapping(0);
  EXPECT_EQ(RunInChild([&mapping] {
              SetAction(ExitOnSignal);
              InstallBusGuard();
              TouchUnguarded(mapping);
            }),
            42);
}

TEST(BusGuardTest, AForeignFaultReachesTheHandlerThatWasThereWithItsAddress) {
  const CutMapping mapping(0);
  EXPECT_EQ(RunInChild([&mapping] {
              struct sigaction action = {};
              action.sa_sigaction = ExitOnFault;
              action.sa_flags = SA_SIGINFO;
              sigaction(SIGBUS, &action, nullptr);
              InstallBusGuard();
              TouchUnguarded(mapping);
            }),
            43);
}

TEST(BusGuardTest, AForeignFaultEndsAProcessWithoutAHandler) {
  const CutMapping mapping(0);
  EXPECT_EQ(RunInChild([&mapping] {
              SetAction(SIG_DFL);
              InstallBusGuard();
              TouchUnguarded(mapping);
            }),
            1000 + SIGBUS);
}

TEST(BusGuardTest, AForeignFaultCanNotBeIgnored) {
  const CutMapping mapping(0);
  EXPECT_EQ(RunInChild([&mapping] {
              SetAction(SIG_IGN);
              InstallBusGuard();
              TouchUnguarded(mapping);
            }),
            1000 + SIGBUS);
}

TEST(BusGuardTest, ASentSignalEndsAProcessWithoutAHandlerAndIsIgnoredWhereItWas) {
  EXPECT_EQ(RunInChild([] {
              SetAction(SIG_DFL);
              InstallBusGuard();
              raise(SIGBUS);
            }),
            1000 + SIGBUS);
  EXPECT_EQ(RunInChild([] {
              SetAction(SIG_IGN);
              InstallBusGuard();
              raise(SIGBUS);
            }),
            0);
}

TEST(BusGuardTest, AFaultAfterAGuardedOneIsForeignAgain) {
  const CutMapping mapping(0);
  EXPECT_EQ(RunInChild([&mapping] {
              SetAction(ExitOnSignal);
              InstallBusGuard();
              uint32_t crc = 0;
              if (GuardedChecksum(mapping.bytes(), &crc)) _exit(1);
              TouchUnguarded(mapping);
            }),
            42);
}

TEST(BusGuardTest, EveryUnreadablePageIsSaid) {
  const CutMapping mapping(kSize / 2);
  InstallBusGuard();
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  for (size_t offset = 0; offset < kSize; offset += page) {
    uint32_t crc = 9;
    const bool readable = GuardedChecksum(mapping.bytes().substr(offset, page), &crc);
    EXPECT_EQ(readable, offset < kSize / 2) << offset;
    EXPECT_EQ(crc == 9, !readable) << offset;
  }
}

TEST(BusGuardTest, ChecksumsOfSmallPiecesAreThoseOfTheWhole) {
  InstallBusGuard();
  std::string bytes(10'000, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7);
  uint32_t whole = 0;
  ASSERT_TRUE(GuardedChecksum(bytes, &whole));
  uint32_t pieces = 0;
  for (size_t i = 0; i < bytes.size(); i += 13) {
    ASSERT_TRUE(GuardedChecksum(Bytes(bytes).substr(i, 13), &pieces));
  }
  EXPECT_EQ(pieces, whole);
}

}  // namespace
}  // namespace pure::store
