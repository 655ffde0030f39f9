#include "store/posix/posix_files.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include "gtest/gtest.h"
#include "store/posix/temporary_directory.h"
#include "store/testing/print.h"

namespace pure::store {
namespace {

OpenDirectoryOptions Anywhere(bool create) {
  OpenDirectoryOptions options;
  options.create = create;
  options.force_file_system = true;
  return options;
}

std::unique_ptr<Directory> MustOpen(const std::string& path) {
  auto directory = OpenDirectory(path, Anywhere(true));
  EXPECT_TRUE(directory.ok()) << directory.status();
  return *std::move(directory);
}

mode_t ModeOf(const std::string& path) {
  struct stat status = {};
  EXPECT_EQ(lstat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777;
}

TEST(OpenDirectoryTest, AMissingDirectoryIsMadeForTheOwnerAlone) {
  const TemporaryDirectory temporary;
  MustOpen(temporary.Path("store"));
  EXPECT_EQ(ModeOf(temporary.Path("store")), 0700u);
}

TEST(OpenDirectoryTest, AMissingDirectoryIsNotFoundUnlessItMayBeMade) {
  const TemporaryDirectory temporary;
  const auto directory = OpenDirectory(temporary.Path("store"), Anywhere(false));
  EXPECT_EQ(directory.status().code(), absl::StatusCode::kNotFound);
  EXPECT_NE(access(temporary.Path("store").c_str(), F_OK), 0);
}

TEST(OpenDirectoryTest, ParentsAreNotMade) {
  const TemporaryDirectory temporary;
  const auto directory = OpenDirectory(temporary.Path("above/store"), Anywhere(true));
  EXPECT_EQ(directory.status().code(), absl::StatusCode::kNotFound);
  EXPECT_NE(access(temporary.Path("above").c_str(), F_OK), 0);
}

TEST(OpenDirectoryTest, AFileIsNoDirectory) {
  const TemporaryDirectory temporary;
  std::ofstream(temporary.Path("store")) << "text";
  const auto directory = OpenDirectory(temporary.Path("store"), Anywhere(true));
  EXPECT_EQ(directory.status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(OpenDirectoryTest, ADirectoryThatOthersMayWriteIsRefusedAndLeftAsItWas) {
  for (const mode_t mode : {0770u, 0707u, 0722u}) {
    const TemporaryDirectory temporary;
    ASSERT_EQ(chmod(temporary.path().c_str(), mode), 0);
    const auto directory = OpenDirectory(temporary.path(), Anywhere(true));
    EXPECT_EQ(directory.status().code(), absl::StatusCode::kPermissionDenied) << mode;
    EXPECT_EQ(ModeOf(temporary.path()), mode);
  }
}

TEST(OpenDirectoryTest, ADirectoryThatOthersMayReadIsTaken) {
  const TemporaryDirectory temporary;
  ASSERT_EQ(chmod(temporary.path().c_str(), 0755), 0);
  EXPECT_TRUE(OpenDirectory(temporary.path(), Anywhere(false)).ok());
}

TEST(OpenDirectoryTest, ADirectoryOfAnotherUserIsRefused) {
  const TemporaryDirectory temporary;
  std::string path = "/";  // root's
  if (geteuid() == 0) {
    path = temporary.path();
    if (chown(path.c_str(), 12345, 12345) != 0) GTEST_SKIP() << "no other user in this namespace";
  }
  const auto directory = OpenDirectory(path, Anywhere(true));
  EXPECT_EQ(directory.status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_NE(directory.status().message().find("it belongs to user"), std::string::npos);
}

TEST(OpenDirectoryTest, MovingTheDirectoryLeadsNowhereElse) {
  const TemporaryDirectory temporary;
  const std::unique_ptr<Directory> directory = MustOpen(temporary.Path("store"));
  ASSERT_EQ(rename(temporary.Path("store").c_str(), temporary.Path("moved").c_str()), 0);
  ASSERT_EQ(mkdir(temporary.Path("store").c_str(), 0700), 0);
  std::unique_ptr<File> file;
  ASSERT_EQ(directory->Create("a", &file), IoError::kNone);
  EXPECT_EQ(access(temporary.Path("moved/a").c_str(), F_OK), 0);
  EXPECT_NE(access(temporary.Path("store/a").c_str(), F_OK), 0);
}

TEST(PosixFilesTest, FilesAreForTheOwnerAlone) {
  const TemporaryDirectory temporary;
  const std::unique_ptr<Directory> directory = MustOpen(temporary.path());
  std::unique_ptr<File> file;
  ASSERT_EQ(directory->Create("a", &file), IoError::kNone);
  std::unique_ptr<DirectoryLock> lock;
  ASSERT_EQ(directory->Lock(0, &lock), IoError::kNone);
  EXPECT_EQ(ModeOf(temporary.Path("a")), 0600u);
  EXPECT_EQ(ModeOf(temporary.Path("LOCK")), 0600u);
}

TEST(PosixFilesTest, LinksAreNotFollowed) {
  const TemporaryDirectory temporary;
  const std::unique_ptr<Directory> directory = MustOpen(temporary.Path("store"));
  std::ofstream(temporary.Path("outside")) << "text";
  ASSERT_EQ(symlink("../outside", temporary.Path("store/link").c_str()), 0);
  ASSERT_EQ(symlink("../missing", temporary.Path("store/LOCK").c_str()), 0);
  std::unique_ptr<File> file;
  EXPECT_EQ(directory->Open("link", true, &file), IoError::kRefused);
  EXPECT_EQ(directory->Create("link", &file), IoError::kExists);
  std::unique_ptr<DirectoryLock> lock;
  EXPECT_EQ(directory->Lock(0, &lock), IoError::kRefused);
  EXPECT_NE(access(temporary.Path("missing").c_str(), F_OK), 0);
}

TEST(PosixFilesTest, OnlyPlainFilesAreOpened) {
  const TemporaryDirectory temporary;
  const std::unique_ptr<Directory> directory = MustOpen(temporary.path());
  ASSERT_EQ(mkdir(temporary.Path("directory").c_str(), 0700), 0);
  ASSERT_EQ(mkfifo(temporary.Path("pipe").c_str(), 0600), 0);
  std::unique_ptr<File> file;
  for (const bool writable : {false, true}) {
    EXPECT_EQ(directory->Open("directory", writable, &file), IoError::kRefused);
    EXPECT_EQ(directory->Open("pipe", writable, &file), IoError::kRefused);
  }
  EXPECT_EQ(directory->Remove("directory"), IoError::kRefused);
}

TEST(PosixFilesTest, AFileThatOthersMayWriteIsRefused) {
  const TemporaryDirectory temporary;
  const std::unique_ptr<Directory> directory = MustOpen(temporary.path());
  std::unique_ptr<File> file;
  ASSERT_EQ(directory->Create("a", &file), IoError::kNone);
  ASSERT_EQ(chmod(temporary.Path("a").c_str(), 0620), 0);
  EXPECT_EQ(directory->Open("a", false, &file), IoError::kRefused);
}

TEST(PosixFilesTest, AllocatedBlocksAreReserved) {
  const TemporaryDirectory temporary;
  const std::unique_ptr<Directory> directory = MustOpen(temporary.path());
  std::unique_ptr<File> file;
  ASSERT_EQ(directory->Create("a", &file), IoError::kNone);
  ASSERT_EQ(file->Allocate(1 << 20), IoError::kNone);
  struct stat status = {};
  ASSERT_EQ(stat(temporary.Path("a").c_str(), &status), 0);
  EXPECT_GE(status.st_blocks * 512, 1 << 20);
}

// In a child process: the limit is the whole process's.
TEST(PosixFilesTest, AFileSizeLimitIsAnErrorThatSaysWhatWasWritten) {
  const TemporaryDirectory temporary;
  const std::unique_ptr<Directory> directory = MustOpen(temporary.path());
  std::unique_ptr<File> file;
  ASSERT_EQ(directory->Create("a", &file), IoError::kNone);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const struct rlimit limit = {.rlim_cur = 6000, .rlim_max = 6000};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(1);
    const std::string bytes(4096, 'x');
    uint64_t written_bytes = 0;
    if (file->Write(0, {Bytes(bytes), Bytes(bytes)}, &written_bytes) != IoError::kTooLarge)
      _exit(2);
    if (written_bytes != 6000) _exit(3);
    if (file->Allocate(8192) != IoError::kTooLarge) _exit(4);
    uint64_t size_bytes = 0;
    if (file->Size(&size_bytes) != IoError::kNone || size_bytes != 6000) _exit(5);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(PosixFilesTest, RunningOutOfDescriptorsIsSaidAndPasses) {
  const TemporaryDirectory temporary;
  const std::unique_ptr<Directory> directory = MustOpen(temporary.path());
  struct rlimit old_limit = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &old_limit), 0);
  const struct rlimit none = {.rlim_cur = 0, .rlim_max = old_limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  std::unique_ptr<File> file;
  const IoError created = directory->Create("a", &file);
  std::unique_ptr<DirectoryLock> lock;
  const IoError locked = directory->Lock(0, &lock);
  std::vector<std::string> names;
  const IoError listed = directory->List(&names);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &old_limit), 0);
  EXPECT_EQ(created, IoError::kDescriptors);
  EXPECT_EQ(locked, IoError::kDescriptors);
  EXPECT_EQ(listed, IoError::kDescriptors);
  EXPECT_EQ(directory->Create("a", &file), IoError::kNone);
}

TEST(PosixFilesTest, TheLockIsWaitedForAndTakenWhenItComesFree) {
  const TemporaryDirectory temporary;
  const std::unique_ptr<Directory> directory = MustOpen(temporary.path());
  std::unique_ptr<DirectoryLock> first;
  ASSERT_EQ(directory->Lock(0, &first), IoError::kNone);
  std::thread holder([&first] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    first.reset();
  });
  std::unique_ptr<DirectoryLock> second;
  EXPECT_EQ(directory->Lock(10'000, &second), IoError::kNone);
  holder.join();
}

TEST(PosixFilesTest, TheLockIsWaitedForNoLongerThanAllowed) {
  const TemporaryDirectory temporary;
  const std::unique_ptr<Directory> directory = MustOpen(temporary.path());
  std::unique_ptr<DirectoryLock> first;
  ASSERT_EQ(directory->Lock(0, &first), IoError::kNone);
  const auto begin = std::chrono::steady_clock::now();
  std::unique_ptr<DirectoryLock> second;
  EXPECT_EQ(directory->Lock(100, &second), IoError::kLocked);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(100));
}

TEST(PosixFilesTest, AKilledProcessLeavesNoLock) {
  const TemporaryDirectory temporary;
  const std::unique_ptr<Directory> directory = MustOpen(temporary.path());
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::unique_ptr<DirectoryLock> lock;
    const char locked = directory->Lock(0, &lock) == IoError::kNone ? 'y' : 'n';
    if (write(ready[1], &locked, 1) != 1) _exit(1);
    while (true) pause();
  }
  char locked = '?';
  ASSERT_EQ(read(ready[0], &locked, 1), 1);
  EXPECT_EQ(locked, 'y');
  std::unique_ptr<DirectoryLock> lock;
  EXPECT_EQ(directory->Lock(0, &lock), IoError::kLocked);
  ASSERT_EQ(kill(child, SIGKILL), 0);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_EQ(directory->Lock(0, &lock), IoError::kNone);
  close(ready[0]);
  close(ready[1]);
}

TEST(PosixFilesTest, ALockFileTakenAwayDoesNotSplitTheLock) {
  const TemporaryDirectory temporary;
  const std::unique_ptr<Directory> directory = MustOpen(temporary.path());
  std::unique_ptr<DirectoryLock> stale;
  ASSERT_EQ(directory->Lock(0, &stale), IoError::kNone);
  ASSERT_EQ(unlink(temporary.Path("LOCK").c_str()), 0);
  stale.reset();
  std::unique_ptr<DirectoryLock> fresh;
  EXPECT_EQ(directory->Lock(0, &fresh), IoError::kNone);
  std::unique_ptr<DirectoryLock> second;
  EXPECT_EQ(directory->Lock(0, &second), IoError::kLocked);
}

}  // namespace
}  // namespace pure::store
