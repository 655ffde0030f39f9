#include "transport/http1/answer.h"

#include <cstdint>
#include <ctime>
#include <string>

#include "gtest/gtest.h"
#include "runtime/bytes.h"

namespace pure::http1 {
namespace {

constexpr Bytes kDate = "Sun, 06 Nov 1994 08:49:37 GMT";

std::string Written(const AnswerHead& head) {
  std::string out(
      kAnswerHeadBytesMax + head.content_type.size() + head.allow.size() + head.extra.size(), '#');
  out.resize(WriteHead(head, kDate, MutableBytes(out.data(), out.size())));
  return out;
}

std::string DateOf(int64_t wall_ms) {
  std::string date(kDateBytes, '#');
  WriteDate(wall_ms, MutableBytes(date.data(), date.size()));
  return date;
}

TEST(AnswerTest, AUsualAnswerHasItsFieldsInOrder) {
  AnswerHead head;
  head.content_length = 5;
  head.revision = 7;
  EXPECT_EQ(Written(head),
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
            "Cache-Control: no-store\r\nX-Pure-Error: none\r\nETag: \"7\"\r\n\r\n");
}

TEST(AnswerTest, EachOptionalFieldIsWritten) {
  AnswerHead head;
  head.status = 503;
  head.error = "store_busy";
  head.content_type = "text/plain";
  head.allow = "GET";
  head.extra = "X-Pure-Fault: full\r\n";
  head.retry_after = true;
  head.challenge = true;
  head.close = true;
  EXPECT_EQ(
      Written(head),
      "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n"
      "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\nCache-Control: no-store\r\n"
      "X-Pure-Error: store_busy\r\nContent-Type: text/plain\r\nAllow: GET\r\nRetry-After: 1\r\n"
      "WWW-Authenticate: Bearer\r\nConnection: close\r\nX-Pure-Fault: full\r\n\r\n");
}

TEST(AnswerTest, AnswersWithoutABodySayNoLength) {
  for (const uint16_t status : {100, 204, 304}) {
    AnswerHead head;
    head.status = status;
    head.content_length = 5;
    EXPECT_EQ(Written(head).find("Content-Length"), std::string::npos) << status;
  }
}

TEST(AnswerTest, AStatusWithoutAPhraseIsStillAStatusLine) {
  AnswerHead head;
  head.status = 499;
  EXPECT_EQ(Written(head).substr(0, 14), "HTTP/1.1 499 \r");
}

TEST(AnswerTest, TheLargestHeadFitsItsBound) {
  AnswerHead head;
  head.status = 431;  // the longest phrase
  head.error = "durability_unknown";
  head.content_length = UINT64_MAX;
  head.revision = UINT64_MAX;
  head.retry_after = head.challenge = head.close = true;
  head.content_type = "t";
  head.allow = "a";
  EXPECT_LE(Written(head).size(), kAnswerHeadBytesMax + 2);
}

TEST(AnswerTest, EveryRefusalHasAStatusAndAName) {
  struct Row {
    Refusal refusal;
    uint16_t status;
    Bytes name;
  };
  for (const Row& row :
       {Row{Refusal::kBadRequest, 400, "request"}, Row{Refusal::kLengthRequired, 411, "request"},
        Row{Refusal::kUriTooLong, 414, "headers"}, Row{Refusal::kExpectationFailed, 417, "request"},
        Row{Refusal::kHeadTooLarge, 431, "headers"}, Row{Refusal::kNotImplemented, 501, "request"},
        Row{Refusal::kVersionNotSupported, 505, "request"}}) {
    EXPECT_EQ(RefusalStatus(row.refusal), row.status);
    EXPECT_EQ(RefusalName(row.refusal), row.name) << row.status;
    EXPECT_EQ(StatusText(row.status).substr(0, 3), std::to_string(row.status));
  }
}

TEST(AnswerTest, StatusTextsBeginWithTheirStatus) {
  int known = 0;
  for (uint16_t status = 0; status < 1000; ++status) {
    const Bytes text = StatusText(status);
    if (text.empty()) continue;
    ++known;
    EXPECT_EQ(text.substr(0, 4), std::to_string(status) + " ");
    EXPECT_GT(text.size(), 4u);
  }
  EXPECT_GE(known, 25);
}

TEST(AnswerTest, ContinueIsAWholeHead) {
  EXPECT_EQ(ContinueHead(), "HTTP/1.1 100 Continue\r\n\r\n");
}

TEST(AnswerTest, DatesOfTheRfcAndOfCalendarEdgesAreRight) {
  EXPECT_EQ(DateOf(784'111'777'000), kDate);
  EXPECT_EQ(DateOf(0), "Thu, 01 Jan 1970 00:00:00 GMT");
  EXPECT_EQ(DateOf(951'782'399'999), "Mon, 28 Feb 2000 23:59:59 GMT");
  EXPECT_EQ(DateOf(951'782'400'000), "Tue, 29 Feb 2000 00:00:00 GMT");
  EXPECT_EQ(DateOf(4'107'542'400'000), "Mon, 01 Mar 2100 00:00:00 GMT");
  EXPECT_EQ(DateOf(-1), "Wed, 31 Dec 1969 23:59:59 GMT");
  EXPECT_EQ(DateOf(253'402'300'799'999), "Fri, 31 Dec 9999 23:59:59 GMT");
}

// One moment of each day until 2150, against the C library.
TEST(AnswerTest, EveryDayIsTheOneOfTheCLibrary) {
  for (int64_t day = 0; day < 65'744; ++day) {
    const std::time_t seconds = day * 86'400 + day % 86'400;
    std::tm parts;
    char wanted[64];
    ASSERT_NE(gmtime_r(&seconds, &parts), nullptr);
    ASSERT_EQ(std::strftime(wanted, sizeof(wanted), "%a, %d %b %Y %H:%M:%S GMT", &parts),
              kDateBytes);
    ASSERT_EQ(DateOf(int64_t{seconds} * 1000), wanted);
  }
}

}  // namespace
}  // namespace pure::http1
