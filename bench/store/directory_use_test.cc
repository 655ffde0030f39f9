#include "bench/store/directory_use.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "store/posix/temporary_directory.h"

namespace pure::bench {
namespace {

class DirectoryUseTest : public ::testing::Test {
 protected:
  // A file of which `written` bytes are there; the rest is a hole.
  void Make(const std::string& name, size_t written, off_t length) {
    const int file = open(directory_.Path(name).c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    ASSERT_GE(file, 0);
    const std::string bytes(written, 'b');
    EXPECT_EQ(write(file, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    EXPECT_EQ(ftruncate(file, length), 0);
    EXPECT_EQ(fsync(file), 0);  // so that the file system has decided on its blocks
    EXPECT_EQ(close(file), 0);
  }

  store::TemporaryDirectory directory_;
};

TEST_F(DirectoryUseTest, LengthAndBlocksOfItsFilesAreSummed) {
  Make("one", 1 << 20, 1 << 20);
  Make("hole", 0, 64 << 20);
  ASSERT_EQ(mkdir(directory_.Path("inner").c_str(), 0700), 0);
  const absl::StatusOr<DirectorySize> size = SizeOfDirectory(directory_.path());
  ASSERT_EQ(size.status(), absl::OkStatus());
  EXPECT_EQ(size->file_bytes, uint64_t{65} << 20);
  EXPECT_GE(size->disk_bytes, uint64_t{1} << 20);
  EXPECT_LT(size->disk_bytes, uint64_t{2} << 20);
  EXPECT_EQ(size->most(), size->file_bytes);
}

TEST_F(DirectoryUseTest, ThePeakStaysWhenItHasPassed) {
  DirectoryMeter meter(directory_.path());
  Make("short", 0, 3000);
  meter.Sample();
  Make("long", 0, 6000);
  meter.Sample();
  ASSERT_EQ(unlink(directory_.Path("long").c_str()), 0);
  meter.Sample();
  const absl::StatusOr<DirectoryUse> use = meter.use();
  ASSERT_EQ(use.status(), absl::OkStatus());
  EXPECT_EQ(use->samples, 3u);
  EXPECT_EQ(use->peak.file_bytes, 9000u);
  EXPECT_EQ(use->mean.file_bytes, 5000u);
}

TEST_F(DirectoryUseTest, NothingToSeeIsAnError) {
  DirectoryMeter meter(directory_.Path("missing"));
  EXPECT_EQ(meter.use().status().code(), absl::StatusCode::kFailedPrecondition);
  meter.Sample();
  EXPECT_EQ(meter.use().status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace pure::bench
