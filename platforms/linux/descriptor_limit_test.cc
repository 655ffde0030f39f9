#include "platforms/linux/descriptor_limit.h"

#include <sys/resource.h>

#include "gtest/gtest.h"

namespace pure {
namespace {

TEST(DescriptorLimitTest, TheSoftLimitBecomesTheHardOne) {
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  limit.rlim_cur = 64;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
  const absl::StatusOr<uint64_t> raised = RaiseDescriptorLimit();
  ASSERT_TRUE(raised.ok()) << raised.status();
  EXPECT_EQ(*raised, uint64_t{limit.rlim_max});
  rlimit now{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &now), 0);
  EXPECT_EQ(now.rlim_cur, limit.rlim_max);
  EXPECT_EQ(now.rlim_max, limit.rlim_max);
}

}  // namespace
}  // namespace pure
