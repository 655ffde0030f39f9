// What only this transport promises; the contract suites stand in a test of their own.

#include "transport/epoll/epoll_transport.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "platforms/linux/clock.h"
#include "tests/testing/allocation_counter.h"
#include "transport/testing/socket_directory.h"
#include "transport/testing/socket_rig.h"

namespace pure::transport {
namespace {

std::unique_ptr<Transport> Make(const TransportOptions& options) {
  std::string why_not;
  std::unique_ptr<Transport> transport = EpollTransport::Make(options, &why_not);
  EXPECT_NE(transport, nullptr) << why_not;
  return transport;
}

int64_t SoonNs(int64_t ms) { return LinuxClock().MonotonicNs() + ms * 1'000'000; }

// Answers every client's bytes with themselves for `rounds` exchanges of each.
void Echo(Transport* transport, const std::vector<std::unique_ptr<SocketClient>>& clients,
          int rounds) {
  std::array<Completion, 16> completions;
  std::array<char, 64> text;
  size_t answers = clients.size() * static_cast<size_t>(rounds);
  for (const auto& client : clients) (void)client->Send("echo me");
  while (answers > 0) {
    const size_t count = transport->Wait(SoonNs(5'000), absl::MakeSpan(completions));
    ASSERT_GT(count, 0u);
    for (const Completion& completion : absl::MakeSpan(completions).first(count)) {
      if (completion.operation != Operation::kReceive) continue;
      ASSERT_EQ(completion.lent, "echo me");
      transport->Send(completion.connection,
                      {completion.lent.substr(0, 4), completion.lent.substr(4)});
      transport->Return(completion);
      transport->ReceiveLent(completion.connection);
      --answers;
    }
    for (const auto& client : clients) {
      const ssize_t size = recv(client->descriptor(), text.data(), text.size(), MSG_DONTWAIT);
      if (size == 7 && answers > 0) (void)client->Send("echo me");
    }
  }
}

TEST(EpollTransportTest, NothingIsAllocatedAfterTheStart) {
  std::unique_ptr<Transport> transport = Make({.connections = 8});
  uint16_t port = 0;
  ASSERT_TRUE(transport->Listen({}, &port).ok());
  std::vector<std::unique_ptr<SocketClient>> clients;
  std::array<Completion, 16> completions;
  for (int i = 0; i < 8; ++i) clients.push_back(std::make_unique<SocketClient>(port, false));
  testing::AllocationCounter counter;
  transport->StartAccepting();
  while (transport->open_connections() < 8) {
    const size_t count = transport->Wait(SoonNs(5'000), absl::MakeSpan(completions));
    ASSERT_GT(count, 0u);
    for (size_t i = 0; i < count; ++i) transport->ReceiveLent(completions[i].connection);
  }
  Echo(transport.get(), clients, 50);
  EXPECT_EQ(counter.allocations(), 0u);
}

TEST(EpollTransportTest, AQueueOfAUnixSocketIsSharedWithTheFirstThread) {
  const SocketDirectory directory;
  ListenOptions options;
  options.address.family = ListenAddress::Family::kUnix;
  options.address.address = directory.socket();
  options.share_port = options.exclusive_check = true;
  std::unique_ptr<Transport> first = Make({.connections = 4});
  std::unique_ptr<Transport> second = Make({.connections = 4});
  uint16_t port = 0;
  ASSERT_TRUE(first->Listen(options, &port).ok());
  options.exclusive_check = false;
  options.first = first.get();
  ASSERT_TRUE(second->Listen(options, &port).ok());
  first->StartAccepting();
  second->StartAccepting();

  SocketClient one(options.address.address, false);
  std::array<Completion, 4> completions;
  EXPECT_EQ(second->Wait(SoonNs(5'000), absl::MakeSpan(completions)), 1u);
  EXPECT_EQ(first->Wait(SoonNs(20), absl::MakeSpan(completions)), 0u);

  // The queue lives as long as one of them takes from it, and a thread that stops is not woken.
  second->StopAccepting();
  ASSERT_EQ(second->Wait(SoonNs(5'000), absl::MakeSpan(completions)), 1u);
  EXPECT_EQ(completions[0].status, Status::kCancelled);
  SocketClient two(options.address.address, false);
  EXPECT_FALSE(two.broken());
  EXPECT_EQ(second->Wait(SoonNs(20), absl::MakeSpan(completions)), 0u);
  EXPECT_EQ(first->Wait(SoonNs(5'000), absl::MakeSpan(completions)), 1u);
}

// After accepting ended, a descriptor that somebody else holds open does not wake this thread.
TEST(EpollTransportTest, APassedSocketThatStaysOpenIsHeardOfNoMoreAfterTheStop) {
  std::unique_ptr<Transport> outside = Make({.connections = 1});
  uint16_t port = 0;
  const int passed = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(listen(passed, 8), 0);  // on a port that the kernel chooses
  ListenOptions options;
  options.address.family = ListenAddress::Family::kDescriptor;
  options.address.descriptor = passed;
  ASSERT_TRUE(outside->Listen(options, &port).ok());
  ASSERT_NE(port, 0);
  outside->StartAccepting();
  outside->StopAccepting();
  std::array<Completion, 4> completions;
  ASSERT_EQ(outside->Wait(SoonNs(5'000), absl::MakeSpan(completions)), 1u);
  EXPECT_EQ(completions[0].status, Status::kCancelled);
  SocketClient client(port, false);
  EXPECT_FALSE(client.broken()) << "it waits in the queue of the one who holds the socket";
  EXPECT_EQ(outside->Wait(SoonNs(20), absl::MakeSpan(completions)), 0u);
  close(passed);
}

TEST(EpollTransportTest, WhoeverIsConnectedIsLetGoWithTheTransport) {
  std::unique_ptr<Transport> transport = Make({.connections = 2});
  uint16_t port = 0;
  ASSERT_TRUE(transport->Listen({}, &port).ok());
  transport->StartAccepting();
  SocketClient client(port, false);
  std::array<Completion, 4> completions;
  ASSERT_EQ(transport->Wait(SoonNs(5'000), absl::MakeSpan(completions)), 1u);
  transport = nullptr;
  EXPECT_TRUE(client.ended());
  EXPECT_TRUE(SocketClient(port, false).broken());
}

}  // namespace
}  // namespace pure::transport
