#pragma once

// Part of the contract suite: the wait, its deadline, Wake, and fairness.

#include <array>
#include <vector>

#include "transport/testing/transport_fixture.h"

namespace pure::transport {

TEST_P(TransportContract, ADeadlineEndsTheWaitAndNotBefore) {
  Make();
  (void)ConnectAndAccept();
  std::array<Completion, 4> completions;
  for (const int64_t wait_ns : {int64_t{1}, int64_t{300'000}, 3 * kMs + 1}) {
    const int64_t deadline_ns = NowNs() + wait_ns;
    EXPECT_EQ(transport().Wait(deadline_ns, absl::MakeSpan(completions)), 0u);
    EXPECT_GE(NowNs(), deadline_ns) << wait_ns;
  }
}

TEST_P(TransportContract, AWaitWithoutADeadlineToComeDoesNotWait) {
  Make();
  (void)ConnectAndAccept();
  std::array<Completion, 4> completions;
  EXPECT_EQ(transport().Wait(0, absl::MakeSpan(completions)), 0u);
  EXPECT_EQ(transport().Wait(NowNs() - 1, absl::MakeSpan(completions)), 0u);
}

TEST_P(TransportContract, WakeEndsTheNextWaitAndSeveralAreOne) {
  Make();
  std::array<Completion, 4> completions;
  for (int i = 0; i < 3; ++i) transport().Wake();
  EXPECT_EQ(transport().Wait(INT64_MAX, absl::MakeSpan(completions)), 0u);
  const int64_t deadline_ns = NowNs() + kMomentNs;
  EXPECT_EQ(transport().Wait(deadline_ns, absl::MakeSpan(completions)), 0u);
  EXPECT_GE(NowNs(), deadline_ns) << "the second wait was woken again";
}

TEST_P(TransportContract, AWaitWithRoomForOneLosesNothing) {
  Make(20);
  std::vector<Pair> pairs;
  for (int i = 0; i < 20; ++i) pairs.push_back(ConnectAndAccept());
  for (const Pair& pair : pairs) {
    transport().ReceiveLent(pair.id);
    ASSERT_EQ(pair.client->Send("m"), 1u);
    const Bytes bytes = "n";
    transport().Send(pair.id, absl::MakeConstSpan(&bytes, 1));
  }
  for (int i = 0; i < 40; ++i) {
    ASSERT_TRUE(Turn(kLongNs, 1));
    EXPECT_EQ(kept().size(), static_cast<size_t>(i + 1));
  }
  EXPECT_FALSE(Turn(kMomentNs, 1));
  for (const Pair& pair : pairs) {
    EXPECT_EQ(AwaitReceived(pair.id).bytes, "m");
    EXPECT_EQ(Await(Operation::kSend, pair.id).status, Status::kOk);
  }
}

// One connection that always has a send done, one that always has bytes, and whoever comes anew:
// each is heard of within a few waits, however little room they have.
TEST_P(TransportContract, WorkThatIsAlwaysReadyKeepsNobodyWaiting) {
  for (const size_t room : {1, 2, 64}) {
    Make();
    const Pair sender = ConnectAndAccept();
    const Pair receiver = ConnectAndAccept();
    const Pair other = ConnectAndAccept();
    const Bytes bytes = "more";
    transport().Send(sender.id, absl::MakeConstSpan(&bytes, 1));
    transport().ReceiveLent(receiver.id);
    transport().ReceiveLent(other.id);
    (void)Connect();
    bool heard = false;
    bool accepted = false;
    int turns = 0;
    for (; turns < 200 && !(heard && accepted); ++turns) {
      (void)receiver.client->Send("abcdefgh");
      (void)sender.client->Read();
      if (turns == 20) {
        ASSERT_EQ(other.client->Send("!"), 1u);
      }
      ASSERT_TRUE(Turn(kLongNs, room));
      while (!kept().empty()) {
        const Completion completion = kept().front();
        kept().pop_front();
        accepted |= completion.operation == Operation::kAccept;
        heard |= completion.connection == other.id;
        if (completion.operation == Operation::kSend) {
          transport().Send(sender.id, absl::MakeConstSpan(&bytes, 1));
        } else if (!completion.lent.empty()) {
          transport().Return(completion);
          if (completion.connection == receiver.id) transport().ReceiveLent(receiver.id);
        }
      }
    }
    EXPECT_TRUE(heard && accepted) << "with room for " << room;
    TearDown();
  }
}

TEST_P(TransportContract, AWaitForNoCompletionIsCaught) {
  Make();
  EXPECT_DEATH((void)transport().Wait(0, {}), "a wait for no completion");
}

}  // namespace pure::transport
