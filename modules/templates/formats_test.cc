#include "modules/templates/formats.h"

#include <cstdint>
#include <limits>
#include <string>

#include "absl/strings/str_format.h"
#include "gtest/gtest.h"

namespace pure::modules {
namespace {

std::string Made(void (*append)(int64_t, std::string*), int64_t number) {
  std::string text;
  append(number, &text);
  EXPECT_LE(text.size(), kFormatBytesMax);
  return text;
}

TEST(FormatsTest, Times) {
  EXPECT_EQ(Made(AppendIso, 0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(Made(AppendIso, -1), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(Made(AppendIso, 1'764'583'200'250), "2025-12-01T10:00:00.250Z");
  EXPECT_EQ(Made(AppendDate, 951'782'400'000), "2000-02-29");
  EXPECT_EQ(Made(AppendDate, 4'107'542'400'000), "2100-03-01");
  EXPECT_EQ(Made(AppendDate, -62'167'219'200'000), "0000-01-01");
  EXPECT_EQ(Made(AppendDate, -62'167'219'200'001), "-00001-12-31");
  EXPECT_EQ(Made(AppendDate, 253'402'300'799'999), "9999-12-31");
  EXPECT_EQ(Made(AppendDate, 253'402'300'800'000), "+10000-01-01");
  EXPECT_EQ(Made(AppendClock, 86'399'999), "23:59:59");
  EXPECT_EQ(Made(AppendClock, -1), "23:59:59");
  // Any 64 bits are a time.
  EXPECT_EQ(Made(AppendDate, std::numeric_limits<int64_t>::max()), "+292278994-08-17");
  EXPECT_EQ(Made(AppendDate, std::numeric_limits<int64_t>::min()), "-292275055-05-16");
}

TEST(FormatsTest, EachDayFollowsTheOneBefore) {
  const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  int64_t day = 0;
  for (int year = 1970; year < 2410; ++year) {
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    for (int month = 1; month <= 12; ++month) {
      const int count = days[month - 1] + (month == 2 && leap ? 1 : 0);
      for (int of_month = 1; of_month <= count; ++of_month, ++day) {
        ASSERT_EQ(Made(AppendDate, day * 86'400'000),
                  absl::StrFormat("%04d-%02d-%02d", year, month, of_month));
      }
    }
  }
}

TEST(FormatsTest, Spans) {
  EXPECT_EQ(Made(AppendSpan, 0), "0s");
  EXPECT_EQ(Made(AppendSpan, 250), "250ms");
  EXPECT_EQ(Made(AppendSpan, 176'405'000), "2d 1h 5s");
  EXPECT_EQ(Made(AppendSpan, -60'000), "-1m");
  EXPECT_EQ(Made(AppendSpan, std::numeric_limits<int64_t>::min()),
            "-106751991167d 7h 12m 55s 808ms");
}

}  // namespace
}  // namespace pure::modules
