#include "store/crc32c.h"

#include <string>

#include "absl/crc/crc32c.h"
#include "gtest/gtest.h"
#include "tests/testing/seeded_entropy.h"

namespace pure::store {
namespace {

TEST(Crc32cTest, KnownValues) {
  EXPECT_EQ(ExtendCrc32c(0, ""), 0u);
  EXPECT_EQ(ExtendCrc32c(0, "123456789"), 0xe3069283u);
  EXPECT_EQ(ExtendCrc32c(0, std::string(32, '\0')), 0x8a9136aau);  // RFC 3720 B.4
  EXPECT_EQ(ExtendCrc32c(0, std::string(32, '\xff')), 0x62a8ab43u);
}

TEST(Crc32cTest, AgreesWithTheSlowCodeAtEveryLengthAndAlignment) {
  pure::testing::SeededEntropy random(1);
  std::string bytes(5000, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random.Next());
  for (size_t size = 0; size < 1700; ++size) {
    const Bytes part = Bytes(bytes).substr(random.Below(64), size);
    const uint32_t start = static_cast<uint32_t>(random.Next());
    ASSERT_EQ(ExtendCrc32c(start, part),
              static_cast<uint32_t>(absl::ExtendCrc32c(absl::crc32c_t{start}, part)))
        << size;
  }
}

TEST(Crc32cTest, CanBeContinuedAnywhere) {
  const std::string bytes(1000, 'x');
  const uint32_t whole = ExtendCrc32c(0, bytes);
  for (size_t cut = 0; cut <= bytes.size(); ++cut) {
    EXPECT_EQ(ExtendCrc32c(ExtendCrc32c(0, Bytes(bytes).substr(0, cut)), Bytes(bytes).substr(cut)),
              whole);
  }
}

}  // namespace
}  // namespace pure::store
