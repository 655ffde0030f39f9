#include "store/posix/file_system_type.h"

#include <fcntl.h>
#include <linux/magic.h>

#include <cerrno>

#include "gtest/gtest.h"
#include "store/posix/file_descriptor.h"

namespace pure::store {
namespace {

TEST(FileSystemTypeTest, NetworkAndUserSpaceFileSystemsAreUnsafe) {
  EXPECT_EQ(UnsafeFileSystemName(NFS_SUPER_MAGIC), "NFS");
  EXPECT_EQ(UnsafeFileSystemName(SMB_SUPER_MAGIC), "SMB");
  EXPECT_EQ(UnsafeFileSystemName(0xff534d42), "SMB");
  EXPECT_EQ(UnsafeFileSystemName(0x65735546), "FUSE");
  EXPECT_EQ(UnsafeFileSystemName(V9FS_MAGIC), "9P");
  EXPECT_EQ(UnsafeFileSystemName(AFS_SUPER_MAGIC), "AFS");
  EXPECT_EQ(UnsafeFileSystemName(CODA_SUPER_MAGIC), "Coda");
  EXPECT_EQ(UnsafeFileSystemName(NCP_SUPER_MAGIC), "NCP");
}

TEST(FileSystemTypeTest, LocalFileSystemsAreNot) {
  for (const uint64_t type :
       {uint64_t{EXT4_SUPER_MAGIC}, uint64_t{XFS_SUPER_MAGIC}, uint64_t{BTRFS_SUPER_MAGIC},
        uint64_t{F2FS_SUPER_MAGIC}, uint64_t{TMPFS_MAGIC}, uint64_t{OVERLAYFS_SUPER_MAGIC}}) {
    EXPECT_EQ(UnsafeFileSystemName(type), "") << type;
  }
}

TEST(FileSystemTypeTest, TheTypeOfProcIsKnown) {
  const FileDescriptor proc(open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSERT_TRUE(proc.valid());
  uint64_t type = 0;
  ASSERT_EQ(FileSystemType(proc.get(), &type), 0);
  EXPECT_EQ(type, uint64_t{PROC_SUPER_MAGIC});
}

TEST(FileSystemTypeTest, ABadDescriptorIsAnError) {
  uint64_t type = 0;
  EXPECT_EQ(FileSystemType(-1, &type), EBADF);
}

}  // namespace
}  // namespace pure::store
