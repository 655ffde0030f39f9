#include "bench/bare_loop.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace pure::bench {
namespace {

constexpr char kDone[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
constexpr char kPage[] =
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\nxxxxxxxxxx";
constexpr char kGet[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

class BareLoopTest : public ::testing::Test {
 protected:
  void Open(const BareOptions& options) {
    const absl::Status opened = loop_.Open(options);
    ASSERT_TRUE(opened.ok()) << opened;
    client_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(loop_.port());
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(connect(client_, reinterpret_cast<sockaddr*>(&to), sizeof(to)), 0);
  }
  ~BareLoopTest() override {
    if (client_ >= 0) close(client_);
  }
  void Send(const std::string& text) {
    ASSERT_EQ(send(client_, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  }
  // Turns the loop until so much is there.
  std::string Receive(size_t bytes) {
    std::string all;
    char buffer[65536];
    for (int turns = 0; all.size() < bytes && turns < 10'000; ++turns) {
      loop_.Turn(1);
      const ssize_t size = recv(client_, buffer, sizeof(buffer), MSG_DONTWAIT);
      if (size > 0) all.append(buffer, static_cast<size_t>(size));
    }
    return all;
  }

  BareLoop loop_;
  int client_ = -1;
};

TEST_F(BareLoopTest, EveryGetIsAnsweredWithThePage) {
  Open({.body_bytes = 10});
  for (int i = 0; i < 3; ++i) {
    Send(kGet);
    EXPECT_EQ(Receive(sizeof(kPage) - 1), kPage);
  }
}

TEST_F(BareLoopTest, PipelinedRequestsAreAnsweredInTheirOrder) {
  Open({.body_bytes = 10});
  std::string requests;
  std::string answers;
  for (int i = 0; i < 100; ++i) {
    const bool get = i % 7 != 3;
    absl::StrAppend(&requests, get ? kGet : "PUT / HTTP/1.1\r\ncontent-length: 4\r\n\r\nGET ");
    absl::StrAppend(&answers, get ? kPage : kDone);
  }
  Send(requests);
  EXPECT_EQ(Receive(answers.size()), answers);
}

TEST_F(BareLoopTest, ARequestMayComeByteByByte) {
  Open({.body_bytes = 10});
  for (const char byte : absl::StrCat(kGet, "POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc")) {
    Send(std::string(1, byte));
    loop_.Turn(0);
    loop_.Turn(0);
  }
  EXPECT_EQ(Receive(sizeof(kPage) + sizeof(kDone) - 2), absl::StrCat(kPage, kDone));
}

TEST_F(BareLoopTest, AClientThatReadsLateGetsItAll) {
  Open({.body_bytes = 100'000});
  constexpr size_t kAnswerBytes = 100'000 + 67;
  std::string requests;
  for (int i = 0; i < 100; ++i) absl::StrAppend(&requests, kGet);
  Send(requests);
  for (int i = 0; i < 5; ++i) loop_.Turn(1);
  std::string first = Receive(100 * kAnswerBytes);
  const size_t bytes = first.find("\r\n\r\n") + 4 + 100'000;
  ASSERT_EQ(first.size(), 100 * bytes);
  EXPECT_EQ(first.substr(99 * bytes), first.substr(0, bytes));
}

TEST_F(BareLoopTest, BodiesAreSavedTogetherBeforeTheyAreAnswered) {
  const std::string log = ::testing::TempDir() + "/bare.log";
  Open({.body_bytes = 10, .log = log, .log_bytes = 1u << 20});
  std::string requests;
  std::string answers;
  for (int i = 0; i < 10; ++i) {
    absl::StrAppend(&requests, "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nbody", i);
    absl::StrAppend(&answers, kDone);
  }
  Send(requests);
  EXPECT_EQ(Receive(answers.size()), answers);
  EXPECT_EQ(loop_.saves(), 1u);
  char saved[50];
  std::FILE* const file = std::fopen(log.c_str(), "r");
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(std::fread(saved, 1, sizeof(saved), file), sizeof(saved));
  std::fclose(file);
  EXPECT_EQ(std::string(saved, sizeof(saved)),
            "body0body1body2body3body4body5body6body7body8body9");
  std::remove(log.c_str());
}

}  // namespace
}  // namespace pure::bench
