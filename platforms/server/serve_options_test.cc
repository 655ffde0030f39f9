#include "platforms/server/serve_options.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace pure::server {
namespace {

using Family = transport::ListenAddress::Family;

constexpr std::string_view kTransports[] = {"auto", "epoll", "io_uring"};

absl::StatusOr<ServeOptions> Parse(std::vector<const char*> arguments) {
  return ParseServeOptions(arguments, kTransports);
}

ServeOptions Parsed(std::vector<const char*> arguments) {
  absl::StatusOr<ServeOptions> options = Parse(std::move(arguments));
  EXPECT_TRUE(options.ok()) << options.status();
  return options.ok() ? *std::move(options) : ServeOptions();
}

std::string Refusal(std::vector<const char*> arguments) {
  const absl::StatusOr<ServeOptions> options = Parse(std::move(arguments));
  if (options.ok()) return "";
  EXPECT_EQ(options.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(options.status().message());
}

TEST(ServeOptionsTest, DefaultsAreThoseOfTheContract) {
  const ServeOptions options = Parsed({"app.pure"});
  EXPECT_FALSE(options.help);
  EXPECT_EQ(options.module, "app.pure");
  EXPECT_EQ(options.store, "");
  EXPECT_EQ(options.listen.family, Family::kIpv4);
  EXPECT_EQ(options.listen.address, "127.0.0.1");
  EXPECT_EQ(options.listen.port, 8767);
  EXPECT_TRUE(options.loopback);
  EXPECT_EQ(options.threads, 1u);
  EXPECT_EQ(options.connections, 1024u);
  EXPECT_EQ(options.budget_bytes, 64u << 20);
  EXPECT_EQ(options.timeout_ms, 10'000u);
  EXPECT_EQ(options.transport, "auto");
  EXPECT_EQ(options.header_limit_bytes, 4096u);
  EXPECT_EQ(options.object_limit_bytes, 16u << 20);
  EXPECT_EQ(options.drain_ms, 10'000u);
  EXPECT_EQ(options.token_file, "");
  EXPECT_FALSE(options.open);
  EXPECT_EQ(options.on_sync_error, OnSyncError::kExit);
  EXPECT_EQ(options.verify, Verify::kAlways);
}

TEST(ServeOptionsTest, TheStructsDefaultsAreThoseOfTheTable) {
  const ServeOptions parsed = Parsed({"app.pure", "--port=0"});
  const ServeOptions made;
  EXPECT_EQ(made.store, parsed.store);
  EXPECT_EQ(made.listen.family, parsed.listen.family);
  EXPECT_EQ(made.listen.address, parsed.listen.address);
  EXPECT_EQ(made.loopback, parsed.loopback);
  EXPECT_EQ(made.threads, parsed.threads);
  EXPECT_EQ(made.connections, parsed.connections);
  EXPECT_EQ(made.budget_bytes, parsed.budget_bytes);
  EXPECT_EQ(made.timeout_ms, parsed.timeout_ms);
  EXPECT_EQ(made.header_limit_bytes, parsed.header_limit_bytes);
  EXPECT_EQ(made.object_limit_bytes, parsed.object_limit_bytes);
  EXPECT_EQ(made.drain_ms, parsed.drain_ms);
  EXPECT_EQ(made.token_file, parsed.token_file);
  EXPECT_EQ(made.open, parsed.open);
  EXPECT_EQ(made.on_sync_error, parsed.on_sync_error);
  EXPECT_EQ(made.verify, parsed.verify);
}

TEST(ServeOptionsTest, EachOptionReachesItsField) {
  const ServeOptions options =
      Parsed({"--store", "/srv/data", "app.pure", "--port=80", "--listen=0.0.0.0", "--threads=4",
              "--connections", "7", "--budget=3k", "--timeout-ms", "250", "--transport=epoll",
              "--header-limit=8k", "--drain-ms=0", "--token-file=t", "--on-sync-error=readonly",
              "--object-limit=1M", "--verify=first"});
  EXPECT_EQ(options.module, "app.pure");
  EXPECT_EQ(options.store, "/srv/data");
  EXPECT_EQ(options.listen.address, "0.0.0.0");
  EXPECT_EQ(options.listen.port, 80);
  EXPECT_FALSE(options.loopback);
  EXPECT_EQ(options.threads, 4u);
  EXPECT_EQ(options.connections, 7u);
  EXPECT_EQ(options.budget_bytes, 3072u);
  EXPECT_EQ(options.timeout_ms, 250u);
  EXPECT_EQ(options.transport, "epoll");
  EXPECT_EQ(options.header_limit_bytes, 8192u);
  EXPECT_EQ(options.object_limit_bytes, 1u << 20);
  EXPECT_EQ(options.drain_ms, 0u);
  EXPECT_EQ(options.token_file, "t");
  EXPECT_EQ(options.on_sync_error, OnSyncError::kReadonly);
  EXPECT_EQ(options.verify, Verify::kFirst);
  EXPECT_TRUE(Parsed({"a", "--open"}).open);
}

TEST(ServeOptionsTest, ExactlyOneModuleIsServed) {
  EXPECT_EQ(Refusal({}), "the module is missing: pure serve MODULE");
  EXPECT_EQ(Refusal({"a.pure", "b.pure"}),
            "\"b.pure\" is one argument too many: pure serve MODULE");
  EXPECT_EQ(Refusal({""}), "the module's path is empty");
  EXPECT_TRUE(Parsed({"--help"}).help) << "help needs no module";
}

TEST(ServeOptionsTest, NumbersHaveBounds) {
  const std::pair<const char*, std::vector<const char*>> rows[] = {
      {"--port", {"65536", "-1", "http"}},
      {"--threads", {"0", "257"}},
      {"--connections", {"0", "1048577"}},
      {"--budget", {"0", "1T", "18446744073709551616"}},
      {"--timeout-ms", {"0", "3600001"}},
      {"--header-limit", {"255", "65537"}},
      {"--object-limit", {"0", "1025M"}},
      {"--drain-ms", {"3600001"}},
      {"--transport", {"kqueue", "Epoll"}},
      {"--on-sync-error", {"ignore"}},
      {"--verify", {"never"}},
  };
  for (const auto& [name, values] : rows) {
    for (const char* value : values) {
      const std::string refusal = Refusal({"a", name, value});
      EXPECT_EQ(refusal.rfind(std::string(name) + ": \"" + value + "\" is not allowed", 0), 0u)
          << refusal;
    }
    EXPECT_NE(Refusal({"a", name}), "") << name;
    EXPECT_NE(Refusal({"a", name, ""}), "") << name;
  }
  for (const char* argument :
       {"--port=0", "--port=65535", "--threads=256", "--connections=1048576", "--budget=1",
        "--budget=18446744073709551615", "--timeout-ms=3600000", "--header-limit=256",
        "--header-limit=64k", "--object-limit=1G", "--drain-ms=3600000"}) {
    EXPECT_EQ(Refusal({"a", argument}), "") << argument;
  }
}

TEST(ServeOptionsTest, OnlyTransportsThatTheBinaryHoldsCanBeChosen) {
  const std::string_view only[] = {"epoll"};
  const std::vector<const char*> other = {"a", "--transport=io_uring"};
  const auto refused = ParseServeOptions(other, only);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().message(),
            "--transport: \"io_uring\" is not allowed; it takes one of epoll");
  const std::vector<const char*> none = {"a"};
  EXPECT_EQ(ParseServeOptions(none, only)->transport, "epoll");
}

TEST(ServeOptionsTest, AnAddressThatOthersReachNeedsTokensOrOpen) {
  for (const char* address :
       {"0.0.0.0", "192.168.1.7", "128.0.0.1", "[::]", "[fe80::1]", "[::ffff:10.0.0.1]"}) {
    const std::string refusal = Refusal({"a", "--listen", address});
    EXPECT_NE(refusal.find("--token-file"), std::string::npos) << address << ": " << refusal;
    EXPECT_NE(refusal.find("--open"), std::string::npos) << address << ": " << refusal;
    EXPECT_EQ(Refusal({"a", "--listen", address, "--open"}), "");
    EXPECT_EQ(Refusal({"a", "--listen", address, "--token-file", "t"}), "");
  }
  for (const char* address : {"127.0.0.1", "127.8.9.10", "[::1]", "[::ffff:127.0.0.1]",
                              "unix:/run/pure.sock", "systemd"}) {
    EXPECT_EQ(Refusal({"a", "--listen", address}), "") << address;
  }
}

TEST(ServeOptionsTest, OpenAndTokensExcludeEachOther) {
  EXPECT_EQ(Refusal({"a", "--open", "--token-file=t"}),
            "--open and --token-file exclude each other: either everybody may, or who has a token");
}

TEST(ServeOptionsTest, HelpListsEveryOptionOfTheContract) {
  const std::string help = ServeHelp(kTransports);
  for (const char* name :
       {"store DIR", "port N", "listen ADDR", "threads N", "connections N", "budget BYTES",
        "timeout-ms MS", "transport auto|epoll|io_uring", "header-limit BYTES", "drain-ms MS",
        "token-file FILE", "open", "on-sync-error exit|readonly", "object-limit BYTES",
        "verify always|first", "flagfile FILE", "help"}) {
    EXPECT_NE(help.find(std::string("\n  --") + name), std::string::npos) << name;
  }
  EXPECT_NE(help.find("(default 64M)"), std::string::npos);
  size_t begin = 0;
  while (begin < help.size()) {
    const size_t end = help.find('\n', begin);
    EXPECT_LE(end - begin, 80u) << help.substr(begin, end - begin);
    begin = end + 1;
  }
}

TEST(ListenTest, EachFormIsUnderstood) {
  const auto ipv6 = ParseListen("[::1]", 80);
  ASSERT_TRUE(ipv6.ok());
  EXPECT_EQ(ipv6->family, Family::kIpv6);
  EXPECT_EQ(ipv6->address, "::1");
  EXPECT_EQ(ipv6->port, 80);
  const auto path = ParseListen("unix:/run/pure/pure.sock", 80);
  ASSERT_TRUE(path.ok());
  EXPECT_EQ(path->family, Family::kUnix);
  EXPECT_EQ(path->address, "/run/pure/pure.sock");
  EXPECT_EQ(path->port, 0);
  const auto passed = ParseListen("systemd", 80);
  ASSERT_TRUE(passed.ok());
  EXPECT_EQ(passed->family, Family::kDescriptor);
  EXPECT_EQ(passed->descriptor, -1);
}

TEST(ListenTest, WhatIsNoAddressIsRefusedWithItsForms) {
  for (const char* text : {"localhost", "127.0.0", "127.0.0.1:80", "256.0.0.1", "*", "unix",
                           "127.0.0.1 ", "0x7f.1", "systemd:1"}) {
    const auto address = ParseListen(text, 1);
    ASSERT_FALSE(address.ok()) << text;
    EXPECT_NE(address.status().message().find("unix:PATH or systemd"), std::string::npos) << text;
  }
  EXPECT_EQ(ParseListen("::1", 1).status().message(),
            "--listen: \"::1\" has to be written in brackets: [::1]");
  EXPECT_EQ(ParseListen("[::1%lo]", 1).status().message(),
            "--listen: \"[::1%lo]\" is no IPv6 address");
  EXPECT_EQ(ParseListen("[127.0.0.1]", 1).status().message(),
            "--listen: \"[127.0.0.1]\" is no IPv6 address");
  EXPECT_EQ(ParseListen("unix:", 1).status().message(),
            "--listen: \"unix:\" lacks the socket's path");
  EXPECT_FALSE(ParseListen(std::string_view("127.0.0.1\0x", 11), 1).ok());
  EXPECT_FALSE(ParseListen(std::string_view("unix:a\0b", 8), 1).ok());
}

TEST(ListenTest, AUnixPathFitsTheKernelsArray) {
  EXPECT_TRUE(ParseListen("unix:" + std::string(107, 'p'), 0).ok());
  EXPECT_FALSE(ParseListen("unix:" + std::string(108, 'p'), 0).ok());
}

TEST(PassedDescriptorTest, ExactlyOneSocketForThisProcess) {
  EXPECT_EQ(*PassedDescriptor("1", "42", 42), 3);
  EXPECT_FALSE(PassedDescriptor("1", "41", 42).ok()) << "it was passed to another process";
  EXPECT_FALSE(PassedDescriptor(nullptr, "42", 42).ok());
  EXPECT_FALSE(PassedDescriptor("1", nullptr, 42).ok());
  EXPECT_FALSE(PassedDescriptor("1", "x", 42).ok());
  for (const char* count : {"0", "2", "", "one"}) {
    const auto passed = PassedDescriptor(count, "42", 42);
    ASSERT_FALSE(passed.ok());
    EXPECT_NE(passed.status().message().find("exactly one"), std::string::npos);
  }
}

}  // namespace
}  // namespace pure::server
