#include "bench/load/load.h"

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "bench/load/load_report.h"
#include "bench/load/sockets.h"
#include "gtest/gtest.h"

namespace pure::bench {
namespace {

// A document server of one thread, slow and simple, so that the loop is not tested against itself.
class SimpleServer {
 public:
  // 0: never; else each connection is closed after that many answers.
  explicit SimpleServer(int answers_a_connection = 0)
      : answers_a_connection_(answers_a_connection) {
    const absl::StatusOr<LoopbackAddress> any = ParseLoopback("127.0.0.1", 0);
    listener_ = Descriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in bound{};
    socklen_t size = sizeof(bound);
    if (bind(listener_.get(), reinterpret_cast<const sockaddr*>(&any->storage), any->size) == 0 &&
        listen(listener_.get(), 128) == 0 &&
        getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&bound), &size) == 0) {
      port_ = ntohs(bound.sin_port);
    }
    thread_ = std::thread([this] { Serve(); });
  }
  ~SimpleServer() {
    stop_ = true;
    thread_.join();
  }

  uint16_t port() const { return port_; }
  uint64_t requests() const { return requests_; }

 private:
  struct Client {
    Descriptor socket;
    std::string in;
    int answers = 0;
  };

  void Serve() {
    while (!stop_) {
      std::vector<pollfd> polled = {{listener_.get(), POLLIN, 0}};
      for (const Client& client : clients_) polled.push_back({client.socket.get(), POLLIN, 0});
      if (poll(polled.data(), polled.size(), 20) <= 0) continue;
      for (size_t i = polled.size() - 1; i > 0; --i) {
        if (polled[i].revents != 0 && !Answer(&clients_[i - 1])) {
          clients_.erase(clients_.begin() + static_cast<std::ptrdiff_t>(i) - 1);
        }
      }
      if (polled[0].revents != 0)
        clients_.push_back({Descriptor(accept(listener_.get(), nullptr, nullptr)), "", 0});
    }
  }

  bool Answer(Client* client) {
    char buffer[8192];
    const ssize_t count = recv(client->socket.get(), buffer, sizeof(buffer), 0);
    if (count <= 0) return false;
    client->in.append(buffer, static_cast<size_t>(count));
    for (;;) {
      const size_t end = client->in.find("\r\n\r\n");
      if (end == std::string::npos) return true;
      const std::string head = client->in.substr(0, end);
      uint64_t body_bytes = 0;
      const size_t field = head.find("Content-Length: ");
      if (field != std::string::npos) {
        const size_t at = field + 16;
        (void)absl::SimpleAtoi(head.substr(at, head.find('\r', at) - at), &body_bytes);
      }
      if (client->in.size() < end + 4 + body_bytes) return true;
      const std::string out = Execute(head, client->in.substr(end + 4, body_bytes));
      client->in.erase(0, end + 4 + body_bytes);
      ++requests_;
      if (send(client->socket.get(), out.data(), out.size(), MSG_NOSIGNAL) !=
          static_cast<ssize_t>(out.size())) {
        return false;
      }
      if (++client->answers == answers_a_connection_) return false;
    }
  }

  std::string Execute(const std::string& head, const std::string& body) {
    const size_t path = head.find(' ') + 1;
    auto& [revision, value] = documents_[head.substr(path, head.find(' ', path) - path)];
    std::string status = "200 OK";
    std::string shown;
    if (absl::StartsWith(head, "PUT ")) {
      const std::string condition = revision == 0 ? std::string("If-None-Match: *")
                                                  : absl::StrCat("If-Match: \"", revision, "\"");
      if (absl::StrContains(head, condition)) {
        ++revision;
        value = body;
      } else {
        status = "412 Precondition Failed";
      }
    } else if (revision == 0) {
      status = "404 Not Found";
    } else {
      shown = value;
    }
    return absl::StrCat("HTTP/1.1 ", status, "\r\nContent-Length: ", shown.size(), "\r\nETag: \"",
                        revision, "\"\r\n\r\n", shown);
  }

  const int answers_a_connection_;
  Descriptor listener_;
  uint16_t port_ = 0;
  std::vector<Client> clients_;
  std::map<std::string, std::pair<uint64_t, std::string>> documents_;
  std::atomic<bool> stop_{false};
  std::atomic<uint64_t> requests_{0};
  std::thread thread_;
};

LoadOptions Small(const SimpleServer& server) {
  LoadOptions options;
  options.port = server.port();
  options.connections = 3;
  options.depth = 4;
  options.keys = 20;
  options.value_bytes = 300;
  options.put_percent = 50;
  options.requests = 500;
  options.seconds = 20;
  return options;
}

TEST(LoadTest, EveryRequestIsAnsweredOnceAndCounted) {
  SimpleServer server;
  const LoadOptions options = Small(server);
  ASSERT_TRUE(CheckLoadOptions(options).ok());
  const absl::StatusOr<LoadReport> report = Load(options).Run();
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->answered(), 500u);
  EXPECT_GT(report->puts, 0u);
  EXPECT_GT(report->gets, 0u);
  EXPECT_EQ(report->statuses, (std::map<int, uint64_t>{{200, 500}}));
  EXPECT_EQ(report->wrong, 0u);
  EXPECT_EQ(report->lost, 0u);
  EXPECT_EQ(report->sent_in_all, 520u);
  EXPECT_EQ(report->connected_in_all, 6u);
  EXPECT_EQ(report->latency_ns.count(), 500u);
  EXPECT_EQ(server.requests(), 520u);
}

TEST(LoadTest, TimeEndsALoadWithoutANumber) {
  SimpleServer server;
  LoadOptions options = Small(server);
  options.requests = 0;
  options.seconds = 0.2;
  options.server_process_ids = {static_cast<int>(getpid())};
  const absl::StatusOr<LoadReport> report = Load(options).Run();
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_GT(report->answered(), 0u);
  EXPECT_LT(report->seconds, 5);
  EXPECT_GE(report->server_cpu_us, 0);
}

TEST(LoadTest, AServerThatClosesConnectionsIsConnectedToAgain) {
  SimpleServer server(7);
  LoadOptions options = Small(server);
  options.prepare = false;
  const absl::StatusOr<LoadReport> report = Load(options).Run();
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->answered() + report->lost, 500u);
  EXPECT_GT(report->connected_in_all, 20u);
  EXPECT_EQ(report->wrong, 0u);
}

TEST(LoadTest, AFixedPathIsAskedFor) {
  SimpleServer server;
  LoadOptions options = Small(server);
  options.path = "/objects/absent";
  const absl::StatusOr<LoadReport> report = Load(options).Run();
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->statuses, (std::map<int, uint64_t>{{404, 500}}));
}

TEST(LoadTest, NobodyListeningIsAnError) {
  LoadOptions options;
  {
    SimpleServer gone;
    options.port = gone.port();
  }
  EXPECT_EQ(Load(options).Run().status().code(), absl::StatusCode::kUnavailable);
}

TEST(LoadTest, OtherMachinesAreNotLoaded) {
  for (const char* address :
       {"128.0.0.1", "10.0.0.1", "0.0.0.0", "::", "fe80::1", "localhost", "1.1.1.1.1", ""}) {
    LoadOptions options;
    options.port = 9;
    options.address = address;
    EXPECT_EQ(Load(options).Run().status().code(), absl::StatusCode::kInvalidArgument) << address;
  }
  EXPECT_TRUE(ParseLoopback("::1", 80).ok());
  EXPECT_TRUE(ParseLoopback("127.255.0.1", 80).ok());
}

TEST(LoadTest, OptionsOutOfBoundsAreRefused) {
  LoadOptions good;
  good.port = 80;
  EXPECT_TRUE(CheckLoadOptions(good).ok());
  const auto refused = [&good](auto change) {
    LoadOptions options = good;
    change(&options);
    return CheckLoadOptions(options).code() == absl::StatusCode::kInvalidArgument;
  };
  EXPECT_TRUE(refused([](LoadOptions* o) { o->port = 0; }));
  EXPECT_TRUE(refused([](LoadOptions* o) { o->connections = 0; }));
  EXPECT_TRUE(refused([](LoadOptions* o) { o->depth = 0; }));
  EXPECT_TRUE(refused([](LoadOptions* o) { o->seconds = 0; }));
  EXPECT_TRUE(refused([](LoadOptions* o) { o->seconds = 601; }));
  EXPECT_TRUE(refused([](LoadOptions* o) { o->put_percent = 101; }));
  EXPECT_TRUE(refused([](LoadOptions* o) { o->path = "no-slash"; }));
  EXPECT_TRUE(refused([](LoadOptions* o) { o->path = "/a b"; }));
  EXPECT_TRUE(refused([](LoadOptions* o) { o->key_prefix = ""; }));
  EXPECT_TRUE(refused([](LoadOptions* o) { o->depth = 21; }));  // 50 x 21 keys are more than 1000
}

TEST(LoadTest, AReportIsALineAndAnObject) {
  LoadOptions options;
  LoadReport report;
  report.seconds = 2;
  report.gets = 90;
  report.puts = 10;
  report.statuses = {{200, 99}, {500, 1}};
  for (uint64_t us = 1; us <= 100; ++us) report.latency_ns.Record(us * 1000);
  report.server_cpu_us = 1.25;
  const std::string line = TableLine("a load", report);
  EXPECT_TRUE(absl::StrContains(line, "a load")) << line;
  EXPECT_TRUE(absl::StrContains(line, "200:99,500:1")) << line;
  EXPECT_FALSE(absl::StrContains(line, "\n"));
  const std::string json = ReportJson("a \"load\"", options, report);
  EXPECT_TRUE(absl::StrContains(json, "\"name\":\"a \\\"load\\\"\"")) << json;
  EXPECT_TRUE(absl::StrContains(json, "\"requests_per_s\":50,")) << json;
  EXPECT_TRUE(absl::StrContains(json, "\"statuses\":{\"200\":99,\"500\":1},\"unexpected\":1"))
      << json;
  EXPECT_TRUE(absl::StrContains(json, "\"server_cpu_us\":1.250")) << json;
  EXPECT_TRUE(absl::StrContains(json, "\"max_us\":100.0")) << json;
}

}  // namespace
}  // namespace pure::bench
