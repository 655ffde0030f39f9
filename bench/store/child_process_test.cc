#include "bench/store/child_process.h"

#include <signal.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"

namespace pure::bench {
namespace {

struct Pair {
  pid_t process = 0;
  uint64_t number = 0;
};

TEST(ChildProcessTest, TheValueComesFromAnotherProcess) {
  const absl::StatusOr<Pair> pair = FromChild<Pair>(
      []() -> absl::StatusOr<Pair> { return Pair{.process = getpid(), .number = 77}; });
  ASSERT_EQ(pair.status(), absl::OkStatus());
  EXPECT_EQ(pair->number, 77u);
  EXPECT_NE(pair->process, getpid());
}

TEST(ChildProcessTest, AnErrorKeepsItsCodeAndText) {
  const absl::StatusOr<Pair> pair =
      FromChild<Pair>([]() -> absl::StatusOr<Pair> { return absl::DataLossError("segment 3"); });
  EXPECT_EQ(pair.status(), absl::DataLossError("segment 3"));
}

TEST(ChildProcessTest, AnAnswerLongerThanThePipeArrives) {
  const absl::StatusOr<std::string> bytes =
      BytesFromChild([]() -> absl::StatusOr<std::string> { return std::string(1u << 20, 'b'); });
  ASSERT_EQ(bytes.status(), absl::OkStatus());
  EXPECT_EQ(*bytes == std::string(1u << 20, 'b'), true);
}

TEST(ChildProcessTest, AChildThatDiesIsAnError) {
  const absl::StatusOr<std::string> bytes = BytesFromChild([]() -> absl::StatusOr<std::string> {
    kill(getpid(), SIGKILL);
    return std::string("never");
  });
  EXPECT_EQ(bytes.status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace pure::bench
