#include "platforms/linux/standard_descriptors.h"

#include <fcntl.h>
#include <unistd.h>

#include "gtest/gtest.h"

namespace pure {
namespace {

TEST(StandardDescriptorsTest, AClosedOneIsHeldAndTakesNoByte) {
  const int kept = dup(STDOUT_FILENO);
  ASSERT_GE(kept, 0);
  ASSERT_EQ(close(STDOUT_FILENO), 0);
  const bool held = HoldStandardDescriptors();
  const bool open_now = fcntl(STDOUT_FILENO, F_GETFD) != -1;
  const ssize_t written = write(STDOUT_FILENO, "x", 1);
  ASSERT_EQ(dup2(kept, STDOUT_FILENO), STDOUT_FILENO);
  close(kept);
  EXPECT_EQ(held, true);
  EXPECT_EQ(open_now, true);
  EXPECT_EQ(written, -1);
}

TEST(StandardDescriptorsTest, OpenOnesStayAsTheyAre) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const int kept = dup(STDOUT_FILENO);
  ASSERT_EQ(dup2(ends[1], STDOUT_FILENO), STDOUT_FILENO);
  EXPECT_EQ(HoldStandardDescriptors(), true);
  EXPECT_EQ(write(STDOUT_FILENO, "x", 1), 1);
  ASSERT_EQ(dup2(kept, STDOUT_FILENO), STDOUT_FILENO);
  char byte = 0;
  EXPECT_EQ(read(ends[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'x');
  for (const int fd : {ends[0], ends[1], kept}) close(fd);
}

}  // namespace
}  // namespace pure
