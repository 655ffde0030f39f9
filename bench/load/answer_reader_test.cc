#include "bench/load/answer_reader.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace pure::bench {
namespace {

using Step = AnswerReader::Step;

struct Seen {
  int status;
  uint64_t body_bytes;
  uint64_t revision;
  std::string body_start;
  friend bool operator==(const Seen&, const Seen&) = default;
};

// All answers of `text`, given in pieces of `piece` bytes.
std::vector<Seen> ReadAll(const std::string& text, size_t piece) {
  AnswerReader reader;
  std::vector<Seen> seen;
  for (size_t at = 0; at < text.size(); at += piece) {
    Bytes bytes = Bytes(text).substr(at, piece);
    for (;;) {
      const Step step = reader.Read(&bytes);
      if (step == Step::kMore) break;
      if (step == Step::kBad) {
        seen.push_back({-1, 0, 0, ""});
        return seen;
      }
      const Answer& answer = reader.answer();
      seen.push_back(
          {answer.status, answer.body_bytes, answer.revision, std::string(answer.BodyStart())});
    }
    EXPECT_TRUE(bytes.empty());
  }
  EXPECT_FALSE(reader.within());
  return seen;
}

TEST(AnswerReaderTest, PipelinedAnswersAreFoundHoweverTheyAreCut) {
  const std::string text =
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nETag: \"17\"\r\n\r\nhello"
      "HTTP/1.1 304 Not Modified\r\nETag: \"18\"\r\nContent-Length: 900\r\n\r\n"
      "HTTP/1.1 100 Continue\r\n\r\n"
      "HTTP/1.1 412 Precondition Failed\r\netag:\"19\"\r\ncontent-length:0\r\n\r\n"
      "HTTP/1.1 204 No Content\r\nAllow: GET\r\n\r\n"
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nETag: \"abc\"\r\n\r\n\r\n";
  const std::vector<Seen> expected = {{200, 5, 17, "hello"},
                                      {304, 0, 18, ""},
                                      {412, 0, 19, ""},
                                      {204, 0, 0, ""},
                                      {200, 2, 0, "\r\n"}};
  for (size_t piece = 1; piece <= text.size(); ++piece)
    EXPECT_EQ(ReadAll(text, piece), expected) << piece;
}

TEST(AnswerReaderTest, ABodyLongerThanItsStartIsCounted) {
  const std::string body(100'000, 'x');
  const std::vector<Seen> expected = {
      {200, body.size(), 0, body.substr(0, Answer::kBodyStartBytes)}};
  const std::string text =
      absl::StrCat("HTTP/1.1 200 OK\r\nContent-Length: ", body.size(), "\r\n\r\n", body);
  EXPECT_EQ(ReadAll(text, 4096), expected);
  EXPECT_EQ(ReadAll(text, text.size()), expected);
}

TEST(AnswerReaderTest, AClosingAnswerSaysSo) {
  AnswerReader reader;
  Bytes bytes = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
  ASSERT_EQ(reader.Read(&bytes), Step::kAnswer);
  EXPECT_TRUE(reader.answer().closes);
  bytes = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
  ASSERT_EQ(reader.Read(&bytes), Step::kAnswer);
  EXPECT_FALSE(reader.answer().closes);
}

TEST(AnswerReaderTest, WhatCanNotBeFramedIsBad) {
  const std::string cases[] = {
      "HTTP/1.1 200 OK\r\nDate: today\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
      "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\n",
      "HTTP/1.1 20x OK\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 700 OK\r\nContent-Length: 0\r\n\r\n",
      "SMTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nno field\r\n\r\n",
  };
  for (const std::string& text : cases)
    EXPECT_EQ(ReadAll(text, text.size()).at(0).status, -1) << text;
}

TEST(AnswerReaderTest, AHeadWithoutEndIsBadAtItsLimit) {
  AnswerReader reader;
  const std::string text = "HTTP/1.1 200 OK\r\nX: " + std::string(AnswerReader::kHeadBytesMax, 'x');
  Bytes bytes = text;
  EXPECT_EQ(reader.Read(&bytes), Step::kBad);
}

TEST(AnswerReaderTest, TheMiddleOfAnAnswerIsKnown) {
  AnswerReader reader;
  EXPECT_FALSE(reader.within());
  Bytes bytes = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe";
  EXPECT_EQ(reader.Read(&bytes), Step::kMore);
  EXPECT_TRUE(reader.within());
}

}  // namespace
}  // namespace pure::bench
