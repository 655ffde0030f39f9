// The fuzzing entry runs on every wire case, with some limits and cuts.

#include <cstddef>
#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "transport/http1/testing/cases.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace pure::http1 {
namespace {

// A disagreement stops the program, so returning is passing.
TEST(HeadFuzzTest, TheEntryRunsOnEveryCase) {
  for (const testing::Case& found : testing::LoadCases()) {
    for (const int choice : {0, 1, 20, 255}) {
      std::string input(3, static_cast<char>(choice));
      input += found.request.substr(0, 5000);
      ASSERT_EQ(
          LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size()), 0)
          << found.id;
    }
  }
  EXPECT_EQ(LLVMFuzzerTestOneInput(nullptr, 0), 0);
}

}  // namespace
}  // namespace pure::http1
