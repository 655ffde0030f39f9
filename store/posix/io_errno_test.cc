#include "store/posix/io_errno.h"

#include <cerrno>

#include "gtest/gtest.h"
#include "store/testing/print.h"

namespace pure::store {
namespace {

TEST(IoErrnoTest, EveryCauseThatIsDecidedByHasItsError) {
  EXPECT_EQ(IoErrorFromErrno(ENOENT), IoError::kNotFound);
  EXPECT_EQ(IoErrorFromErrno(EEXIST), IoError::kExists);
  EXPECT_EQ(IoErrorFromErrno(ENOSPC), IoError::kNoSpace);
  EXPECT_EQ(IoErrorFromErrno(EDQUOT), IoError::kNoSpace);
  EXPECT_EQ(IoErrorFromErrno(EFBIG), IoError::kTooLarge);
  EXPECT_EQ(IoErrorFromErrno(EMFILE), IoError::kDescriptors);
  EXPECT_EQ(IoErrorFromErrno(ENFILE), IoError::kDescriptors);
  EXPECT_EQ(IoErrorFromErrno(ENOMEM), IoError::kMemory);
  EXPECT_EQ(IoErrorFromErrno(EACCES), IoError::kRefused);
  EXPECT_EQ(IoErrorFromErrno(EPERM), IoError::kRefused);
  EXPECT_EQ(IoErrorFromErrno(EROFS), IoError::kRefused);
  EXPECT_EQ(IoErrorFromErrno(ELOOP), IoError::kRefused);
  EXPECT_EQ(IoErrorFromErrno(EAGAIN), IoError::kLocked);
  EXPECT_EQ(IoErrorFromErrno(EINTR), IoError::kInterrupted);
}

TEST(IoErrnoTest, AnythingElseIsAnInputOutputError) {
  EXPECT_EQ(IoErrorFromErrno(EIO), IoError::kInputOutput);
  EXPECT_EQ(IoErrorFromErrno(ENODEV), IoError::kInputOutput);
  EXPECT_EQ(IoErrorFromErrno(9999), IoError::kInputOutput);
}

}  // namespace
}  // namespace pure::store
