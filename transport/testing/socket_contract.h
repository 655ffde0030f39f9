#pragma once

// The contract of transports that are made of the kernel's sockets: what a fake has nothing of.
// Run it beside the contract suite, with rigs that are SocketRigs:
//
//   INSTANTIATE_TEST_SUITE_P(Epoll, SocketContract, ::testing::Values(&NewEpollRig));
//
// Include it in one file of a test.

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "tests/testing/sanitizers.h"
#include "transport/testing/transport_fixture.h"

namespace pure::transport {

class SocketContract : public TransportContract {
 protected:
  // Processor time of this thread.
  static int64_t ProcessorNs() {
    rusage usage;
    EXPECT_EQ(getrusage(RUSAGE_THREAD, &usage), 0);
    const auto ns = [](const timeval& time) {
      return time.tv_sec * int64_t{1'000'000'000} + time.tv_usec * int64_t{1'000};
    };
    return ns(usage.ru_utime) + ns(usage.ru_stime);
  }
};

// No descriptor above those that are open now can be made while it lives.
class DescriptorLimit {
 public:
  DescriptorLimit() {
    EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &before_), 0);
    const int next = dup(0);  // the lowest free number
    close(next);
    rlimit low = before_;
    low.rlim_cur = static_cast<rlim_t>(next);
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  }
  ~DescriptorLimit() { EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before_), 0); }

 private:
  rlimit before_;
};

TEST_P(SocketContract, ALackOfDescriptorsIsSaidOnceAndBurnsNoTime) {
  Make();
  const Pair open = ConnectAndAccept();
  TestClient* const waiting = Connect();
  {
    const DescriptorLimit limit;
    const Completion lack = Await(Operation::kAccept, {});
    EXPECT_EQ(lack.status, Status::kDescriptors);
    EXPECT_EQ(lack.connection.generation, 0u);
    const int64_t before_ns = ProcessorNs();
    EXPECT_FALSE(Turn(400 * kMs)) << "it was said twice";
    EXPECT_LT(ProcessorNs() - before_ns, 20 * kMs);
    EXPECT_FALSE(waiting->broken());
    // Those who are connected go on, and the first of them that leaves makes room.
    ASSERT_EQ(open.client->Send("on"), 2u);
    EXPECT_EQ(ReceiveAll(open.id, 2).bytes, "on");
    transport().Close(open.id, false);
    EXPECT_EQ(Await(Operation::kAccept, {}).status, Status::kOk);
  }
}

TEST_P(SocketContract, DescriptorsThatSomebodyElseGivesBackAreFound) {
  Make();
  (void)Connect();
  {
    const DescriptorLimit limit;
    EXPECT_EQ(Await(Operation::kAccept, {}).status, Status::kDescriptors);
  }
  EXPECT_EQ(Await(Operation::kAccept, {}).status, Status::kOk);
}

TEST_P(SocketContract, WaitingWithIdleConnectionsBurnsNoTime) {
  Make(100);
  for (int i = 0; i < 50; ++i) {
    const Pair pair = ConnectAndAccept();
    transport().ReceiveLent(pair.id);
  }
  ASSERT_TRUE(Quiet());
  const int64_t before_ns = ProcessorNs();
  std::array<Completion, 4> completions;
  const int64_t deadline_ns = NowNs() + 300 * kMs;
  EXPECT_EQ(transport().Wait(deadline_ns, absl::MakeSpan(completions)), 0u);
  EXPECT_GE(NowNs(), deadline_ns) << "one wait is enough";
  EXPECT_LT(ProcessorNs() - before_ns, 10 * kMs);
}

TEST_P(SocketContract, ClientsThatWaitAtTheCapBurnNoTime) {
  Make(1);
  (void)ConnectAndAccept();
  (void)Connect();
  const int64_t before_ns = ProcessorNs();
  EXPECT_FALSE(Turn(200 * kMs));
  EXPECT_LT(ProcessorNs() - before_ns, 10 * kMs);
}

TEST_P(SocketContract, ASendThatWaitsBurnsNoTime) {
  Make();
  const Pair pair = ConnectAndAccept(true);
  const std::string bytes(1u << 20, 'w');
  (void)FillUp(pair.id, bytes);
  const int64_t before_ns = ProcessorNs();
  EXPECT_FALSE(Turn(200 * kMs));
  EXPECT_LT(ProcessorNs() - before_ns, 10 * kMs);
  transport().Cancel(pair.id);
  (void)Await(Operation::kSend, pair.id);
}

TEST_P(SocketContract, AnotherThreadWakesAWaitWithoutADeadline) {
  Make();
  std::thread other([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    transport().Wake();
  });
  std::array<Completion, 4> completions;
  EXPECT_EQ(transport().Wait(INT64_MAX, absl::MakeSpan(completions)), 0u);
  other.join();
}

inline Transport* woken_by_signal = nullptr;

TEST_P(SocketContract, ASignalHandlerWakesTheWait) {
  if (pure::testing::kThreadSanitizer) {
    GTEST_SKIP() << "ThreadSanitizer holds signals back until a call that it knows";
  }
  Make();
  woken_by_signal = &transport();
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = [](int) {
    const int error = errno;
    woken_by_signal->Wake();
    if (errno != error) abort();
  };
  ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
  const pthread_t waiting = pthread_self();
  std::thread other([waiting] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    pthread_kill(waiting, SIGUSR1);
  });
  std::array<Completion, 4> completions;
  EXPECT_EQ(transport().Wait(INT64_MAX, absl::MakeSpan(completions)), 0u);
  other.join();
  EXPECT_EQ(sigaction(SIGUSR1, &before, nullptr), 0);
}

// A mapped page with a media error looks like this to a send.
TEST_P(SocketContract, BytesThatCanNotBeReadEndASendAndNothingOfThemGoesOut) {
  Make();
  const Pair pair = ConnectAndAccept();
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* const mapped = mmap(nullptr, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  const Bytes lost(static_cast<const char*>(mapped), page);
  std::vector<Bytes> spans = {"head", lost};
  size_t taken = 0;
  Completion sent;
  for (int i = 0; i < 4; ++i) {
    transport().Send(pair.id, spans);
    sent = Await(Operation::kSend, pair.id);
    if (sent.status != Status::kOk) break;
    taken += sent.bytes;
    if (taken < 4) {
      spans[0] = Bytes("head").substr(taken);
    } else if (spans.size() == 2) {
      spans.erase(spans.begin());
    }
  }
  EXPECT_EQ(sent.status, Status::kUnreadable);
  EXPECT_LE(taken, 4u);
  transport().Close(pair.id, false);
  const std::string read = ReadUntil(pair.client, [&](Bytes) { return pair.client->ended(); });
  EXPECT_EQ(read, Bytes("head").substr(0, taken));
  munmap(mapped, page);
}

TEST_P(SocketContract, NoDescriptorIsLeftOfWhoCameAndWent) {
  Make();
  const int before = dup(0);
  close(before);
  for (int i = 0; i < 50; ++i) {
    const Pair pair = ConnectAndAccept();
    transport().Close(pair.id, i % 2 == 0);
    (void)pair.client->Read();
    pair.client->Reset();
  }
  const int after = dup(0);
  close(after);
  EXPECT_EQ(after, before);
}

}  // namespace pure::transport
