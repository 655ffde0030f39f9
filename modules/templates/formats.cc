#include "modules/templates/formats.h"

#include <cstdio>

#include "absl/strings/str_cat.h"

namespace pure::modules {
namespace {

constexpr int64_t kDayMs = 86'400'000;

struct Moment {
  int64_t days = 0;    // since 1970-01-01
  int64_t day_ms = 0;  // 0 to kDayMs - 1
};

Moment MomentOf(int64_t time_ms) {
  Moment moment{time_ms / kDayMs, time_ms % kDayMs};
  if (moment.day_ms < 0) {
    moment.day_ms += kDayMs;
    --moment.days;
  }
  return moment;
}

// Two digits; returns where they end.
char* WriteTwo(int64_t number, char* out) {
  *out++ = static_cast<char>('0' + number / 10);
  *out++ = static_cast<char>('0' + number % 10);
  return out;
}

// The civil date of a day: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", 2013:
// eras of 400 years that begin in March, so that the leap day is the last.
void AppendDay(int64_t days, std::string* out) {
  const int64_t shifted = days + 719'468;  // since 0000-03-01
  const int64_t era = (shifted >= 0 ? shifted : shifted - 146'096) / 146'097;
  const int64_t day_of_era = shifted - era * 146'097;
  const int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t month_from_march = (5 * day_of_year + 2) / 153;
  const int64_t day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
  const int64_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
  const int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
  char text[40];
  char* end = text;
  if (year >= 0 && year <= 9999) {
    end = WriteTwo(year % 100, WriteTwo(year / 100, end));
  } else {
    end += std::snprintf(text, 32, "%+06lld", static_cast<long long>(year));
  }
  *end++ = '-';
  end = WriteTwo(month, end);
  *end++ = '-';
  end = WriteTwo(day, end);
  out->append(text, static_cast<size_t>(end - text));
}

void AppendSeconds(int64_t day_ms, std::string* out) {
  const int64_t seconds = day_ms / 1000;
  char text[8];
  char* end = WriteTwo(seconds / 3600, text);
  *end++ = ':';
  end = WriteTwo(seconds / 60 % 60, end);
  *end++ = ':';
  (void)WriteTwo(seconds % 60, end);
  out->append(text, sizeof(text));
}

}  // namespace

void AppendDate(int64_t time_ms, std::string* out) { AppendDay(MomentOf(time_ms).days, out); }

void AppendClock(int64_t time_ms, std::string* out) {
  AppendSeconds(MomentOf(time_ms).day_ms, out);
}

void AppendIso(int64_t time_ms, std::string* out) {
  const Moment moment = MomentOf(time_ms);
  AppendDay(moment.days, out);
  out->push_back('T');
  AppendSeconds(moment.day_ms, out);
  if (const int64_t ms = moment.day_ms % 1000; ms != 0) {
    char text[8];
    std::snprintf(text, sizeof(text), ".%03d", static_cast<int>(ms));
    out->append(text);
  }
  out->push_back('Z');
}

void AppendSpan(int64_t span_ms, std::string* out) {
  uint64_t left = static_cast<uint64_t>(span_ms);
  if (span_ms < 0) {
    out->push_back('-');
    left = 0 - left;
  }
  const struct {
    uint64_t ms;
    const char* unit;
  } kUnits[] = {{86'400'000, "d"}, {3'600'000, "h"}, {60'000, "m"}, {1000, "s"}, {1, "ms"}};
  const char* gap = "";
  for (const auto& unit : kUnits) {
    const uint64_t count = left / unit.ms;
    left %= unit.ms;
    if (count == 0) continue;
    absl::StrAppend(out, gap, count, unit.unit);
    gap = " ";
  }
  if (*gap == '\0') out->append("0s");
}

}  // namespace pure::modules
