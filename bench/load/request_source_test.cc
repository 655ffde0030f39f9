#include "bench/load/request_source.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace pure::bench {
namespace {

Answer AnswerWith(int status, uint64_t revision, const std::string& body = "") {
  Answer answer;
  answer.status = status;
  answer.revision = revision;
  answer.body_bytes = body.size();
  answer.body_start_bytes = std::min(body.size(), Answer::kBodyStartBytes);
  std::memcpy(answer.body_start, body.data(), answer.body_start_bytes);
  return answer;
}

LoadOptions Documents() {
  LoadOptions options;
  options.port = 80;
  options.connections = 3;
  options.keys = 10;
  options.value_bytes = 100;
  return options;
}

TEST(RequestSourceTest, APutCarriesTheRevisionThatTheLastAnswerShowed) {
  LoadOptions options = Documents();
  options.put_percent = 100;
  options.connections = 10;
  RequestSource source(options);
  std::string first, second, third;
  const Request request = source.Next(4, &first);
  EXPECT_EQ(request.kind, Request::Kind::kPut);
  EXPECT_EQ(first,
            absl::StrCat(
                "PUT /objects/load-000004 HTTP/1.1\r\nHost: 127.0.0.1:80\r\nContent-Length: 100\r\n"
                "If-None-Match: *\r\n\r\n",
                source.ValueText(4, 1)));
  EXPECT_TRUE(source.Answered(request, AnswerWith(200, 1)));
  EXPECT_EQ(source.Next(4, &second).key, request.key);
  EXPECT_TRUE(absl::StrContains(second, "If-Match: \"1\"\r\n"));
  EXPECT_TRUE(absl::EndsWith(second, source.ValueText(4, 2)));
  EXPECT_TRUE(source.Answered(request, AnswerWith(412, 9)));
  (void)source.Next(4, &third);
  EXPECT_TRUE(absl::StrContains(third, "If-Match: \"9\"\r\n"));
}

TEST(RequestSourceTest, NoTwoConnectionsWriteTheSameKeyAndAllKeysAreWritten) {
  LoadOptions options = Documents();
  options.put_percent = 100;
  RequestSource source(options);
  std::set<uint32_t> seen[3];
  for (uint32_t connection = 0; connection < 3; ++connection) {
    for (int i = 0; i < 20; ++i) {
      std::string text;
      seen[connection].insert(source.Next(connection, &text).key);
    }
  }
  EXPECT_EQ(seen[0], (std::set<uint32_t>{0, 3, 6, 9}));
  EXPECT_EQ(seen[1], (std::set<uint32_t>{1, 4, 7}));
  EXPECT_EQ(seen[2], (std::set<uint32_t>{2, 5, 8}));
}

TEST(RequestSourceTest, ThePreparationWritesEachKeyOnce) {
  const LoadOptions options = Documents();
  RequestSource source(options);
  std::multiset<uint32_t> seen;
  for (uint32_t connection = 0; connection < 3; ++connection) {
    std::string text;
    Request request;
    for (uint32_t turn = 0; source.NextPreparation(connection, turn, &text, &request); ++turn)
      seen.insert(request.key);
  }
  EXPECT_EQ(seen, (std::multiset<uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(RequestSourceTest, AValueOfAnotherKeyRevisionOrSizeIsWrong) {
  const LoadOptions options = Documents();
  RequestSource source(options);
  const Request get = {.kind = Request::Kind::kGet, .key = 7};
  EXPECT_TRUE(source.Answered(get, AnswerWith(200, 5, source.ValueText(7, 5))));
  EXPECT_FALSE(source.Answered(get, AnswerWith(200, 5, source.ValueText(7, 4))));
  EXPECT_FALSE(source.Answered(get, AnswerWith(200, 5, source.ValueText(6, 5))));
  EXPECT_FALSE(source.Answered(get, AnswerWith(200, 5, source.ValueText(7, 5) + "x")));
  EXPECT_TRUE(source.Answered(get, AnswerWith(404, 0)));
}

TEST(RequestSourceTest, AValueTooSmallForItsNameIsCut) {
  LoadOptions options = Documents();
  options.value_bytes = 4;
  RequestSource source(options);
  EXPECT_EQ(source.ValueText(7, 5), "load");
}

TEST(RequestSourceTest, PutsHaveTheirShare) {
  LoadOptions options = Documents();
  options.put_percent = 30;
  RequestSource source(options);
  int puts = 0;
  for (int i = 0; i < 10'000; ++i) {
    std::string text;
    puts += source.Next(0, &text).kind == Request::Kind::kPut ? 1 : 0;
  }
  EXPECT_GT(puts, 2700);
  EXPECT_LT(puts, 3300);
}

TEST(RequestSourceTest, AFixedRequestIsTheSameEveryTime) {
  LoadOptions options = Documents();
  options.path = "/page";
  options.address = "::1";
  RequestSource source(options);
  std::string text;
  EXPECT_EQ(source.Next(0, &text).kind, Request::Kind::kFixed);
  EXPECT_EQ(text, "GET /page HTTP/1.1\r\nHost: [::1]:80\r\n\r\n");
}

}  // namespace
}  // namespace pure::bench
