#include "bench/load/process_cpu.h"

#include <unistd.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"

namespace pure::bench {
namespace {

// Computes until the process has used that much more.
void Burn(int64_t ns) {
  const int64_t end_ns = OwnCpuNs() + ns;
  volatile unsigned sum = 0;
  while (OwnCpuNs() < end_ns) {
    for (unsigned i = 0; i < 1000; ++i) sum = sum + i;
  }
}

TEST(ProcessCpuTest, TimeThatIsUsedIsCounted) {
  const int own[] = {static_cast<int>(getpid())};
  const absl::StatusOr<int64_t> before = ProcessCpuNs(own);
  ASSERT_TRUE(before.ok()) << before.status();
  Burn(60'000'000);
  const absl::StatusOr<int64_t> after = ProcessCpuNs(own);
  ASSERT_TRUE(after.ok());
  EXPECT_GE(*after - *before, 30'000'000);  // steps of 10 ms, and a scheduler that accounts late
}

TEST(ProcessCpuTest, SeveralProcessesAreAddedUp) {
  const int own[] = {static_cast<int>(getpid())};
  const int twice[] = {own[0], own[0]};
  Burn(30'000'000);
  const int64_t once_ns = ProcessCpuNs(own).value_or(0);
  EXPECT_GE(ProcessCpuNs(twice).value_or(0), 2 * once_ns);
}

TEST(ProcessCpuTest, AProcessThatIsNotThereIsAnError) {
  const int nobody[] = {0x7fffffff};
  EXPECT_EQ(ProcessCpuNs(nobody).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace pure::bench
