#include "transport/http1/answer.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "runtime/check.h"

namespace pure::http1 {
namespace {

// Appends to a buffer that is large enough (the caller has checked).
class Writer {
 public:
  explicit Writer(char* at) : begin_(at), at_(at) {}
  void Put(Bytes text) { at_ = std::copy(text.begin(), text.end(), at_); }
  void Put(uint64_t number) { at_ = std::to_chars(at_, at_ + 20, number).ptr; }
  size_t size() const { return static_cast<size_t>(at_ - begin_); }

 private:
  char* const begin_;
  char* at_;
};

void PutTwo(int64_t number, char* out) {
  out[0] = static_cast<char>('0' + number / 10);
  out[1] = static_cast<char>('0' + number % 10);
}

struct StatusLine {
  uint16_t status;
  Bytes text;
};

// The usual one first, then by number.
constexpr StatusLine kStatusLines[] = {
    {200, "200 OK"},
    {100, "100 Continue"},
    {204, "204 No Content"},
    {303, "303 See Other"},
    {304, "304 Not Modified"},
    {400, "400 Bad Request"},
    {401, "401 Unauthorized"},
    {403, "403 Forbidden"},
    {404, "404 Not Found"},
    {405, "405 Method Not Allowed"},
    {408, "408 Request Timeout"},
    {409, "409 Conflict"},
    {410, "410 Gone"},
    {411, "411 Length Required"},
    {412, "412 Precondition Failed"},
    {413, "413 Content Too Large"},
    {414, "414 URI Too Long"},
    {415, "415 Unsupported Media Type"},
    {417, "417 Expectation Failed"},
    {421, "421 Misdirected Request"},
    {422, "422 Unprocessable Content"},
    {423, "423 Locked"},
    {428, "428 Precondition Required"},
    {429, "429 Too Many Requests"},
    {431, "431 Request Header Fields Too Large"},
    {500, "500 Internal Server Error"},
    {501, "501 Not Implemented"},
    {503, "503 Service Unavailable"},
    {505, "505 HTTP Version Not Supported"},
    {507, "507 Insufficient Storage"},
};

struct Day {
  int64_t year, month, day;
};

// The proleptic Gregorian date of a day count since 1970-01-01, from year 0 on. Years are taken to
// begin in March, so that the leap day is the last of its year and months before it have fixed
// lengths.
Day DayOf(int64_t days) {
  const int64_t shifted = days + 719468;  // days from 0000-03-01
  const int64_t era = shifted / 146097;
  const int64_t of_era = shifted - era * 146097;
  const int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  const int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t march_month = (5 * of_year + 2) / 153;
  const int64_t month = march_month < 10 ? march_month + 3 : march_month - 9;
  return {year_of_era + era * 400 + (month <= 2), month, of_year - (153 * march_month + 2) / 5 + 1};
}

}  // namespace

Bytes StatusText(uint16_t status) {
  for (const StatusLine& line : kStatusLines) {
    if (line.status == status) return line.text;
  }
  return {};
}

size_t WriteHead(const AnswerHead& head, Bytes date, MutableBytes out) {
  PURE_CHECK(out.size() >= kAnswerHeadBytesMax + head.content_type.size() + head.allow.size() +
                               head.extra.size(),
             "an answer head has too little room");
  Writer writer(out.data());
  writer.Put("HTTP/1.1 ");
  const Bytes text = StatusText(head.status);
  if (text.empty()) {
    writer.Put(uint64_t{head.status});  // a module's own status: the reason phrase may be empty
    writer.Put(" ");
  } else {
    writer.Put(text);
  }
  if (head.status >= 200 && head.status != 204 && head.status != 304) {
    writer.Put("\r\nContent-Length: ");
    writer.Put(head.content_length);
  }
  writer.Put("\r\nDate: ");
  writer.Put(date);
  writer.Put(head.revalidates ? "\r\nCache-Control: no-cache\r\nX-Pure-Error: "
                              : "\r\nCache-Control: no-store\r\nX-Pure-Error: ");
  writer.Put(head.error);
  if (head.revision > 0) {
    writer.Put("\r\nETag: \"");
    writer.Put(head.revision);
    writer.Put("\"");
  }
  if (!head.content_type.empty()) {
    writer.Put("\r\nContent-Type: ");
    writer.Put(head.content_type);
  }
  if (!head.allow.empty()) {
    writer.Put("\r\nAllow: ");
    writer.Put(head.allow);
  }
  if (head.retry_after) writer.Put("\r\nRetry-After: 1");
  if (head.challenge) writer.Put("\r\nWWW-Authenticate: Bearer");
  if (head.close) writer.Put("\r\nConnection: close");
  writer.Put("\r\n");
  writer.Put(head.extra);
  writer.Put("\r\n");
  return writer.size();
}

void WriteDate(int64_t wall_ms, MutableBytes out) {
  constexpr int64_t kDayMs = 86'400'000;
  const int64_t days = wall_ms >= 0 ? wall_ms / kDayMs : -((-wall_ms + kDayMs - 1) / kDayMs);
  const int64_t seconds = (wall_ms - days * kDayMs) / 1000;
  const Day day = DayOf(days);
  const Bytes names = "ThuFriSatSunMonTueWed";  // 1970-01-01 was a Thursday
  const Bytes months = "JanFebMarAprMayJunJulAugSepOctNovDec";
  std::memcpy(out.data(), "Thu, 01 Jan 1970 00:00:00 GMT", kDateBytes);
  std::memcpy(out.data(), names.data() + 3 * (((days % 7) + 7) % 7), 3);
  PutTwo(day.day, &out[5]);
  std::memcpy(&out[8], months.data() + 3 * (day.month - 1), 3);
  PutTwo(day.year / 100 % 100, &out[12]);
  PutTwo(day.year % 100, &out[14]);
  PutTwo(seconds / 3600, &out[17]);
  PutTwo(seconds / 60 % 60, &out[20]);
  PutTwo(seconds % 60, &out[23]);
}

Bytes ContinueHead() { return "HTTP/1.1 100 Continue\r\n\r\n"; }

uint16_t RefusalStatus(Refusal refusal) {
  switch (refusal) {
    case Refusal::kNone:
    case Refusal::kBadRequest:
      return 400;
    case Refusal::kLengthRequired:
      return 411;
    case Refusal::kUriTooLong:
      return 414;
    case Refusal::kExpectationFailed:
      return 417;
    case Refusal::kHeadTooLarge:
      return 431;
    case Refusal::kNotImplemented:
      return 501;
    case Refusal::kVersionNotSupported:
      return 505;
  }
  return 400;
}

Bytes RefusalName(Refusal refusal) {
  const bool size = refusal == Refusal::kUriTooLong || refusal == Refusal::kHeadTooLarge;
  return size ? "headers" : "request";
}

}  // namespace pure::http1
