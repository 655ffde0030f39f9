#pragma once

// Part of the contract suite: accepting, connections and their numbers.

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "transport/testing/transport_fixture.h"

namespace pure::transport {

TEST_P(TransportContract, AClientIsAcceptedAndCountedUntilItIsClosed) {
  Make();
  EXPECT_EQ(transport().open_connections(), 0u);
  const Pair pair = ConnectAndAccept();
  EXPECT_EQ(transport().open_connections(), 1u);
  EXPECT_TRUE(Quiet());
  transport().Close(pair.id, false);
  EXPECT_EQ(transport().open_connections(), 0u);
}

TEST_P(TransportContract, EveryOpenConnectionHasANumberOfItsOwn) {
  Make(8);
  std::set<uint32_t> numbers;
  for (int i = 0; i < 8; ++i) numbers.insert(ConnectAndAccept().id.number);
  EXPECT_EQ(numbers.size(), 8u);
  EXPECT_LT(*numbers.rbegin(), 8u);
}

TEST_P(TransportContract, AtTheCapClientsWaitUntilOneIsClosed) {
  Make(2);
  const ConnectionId first = ConnectAndAccept().id;
  (void)ConnectAndAccept();
  TestClient* const third = Connect();
  EXPECT_TRUE(Quiet());
  EXPECT_EQ(transport().open_connections(), 2u);
  transport().Close(first, false);
  const Completion accepted = Await(Operation::kAccept, {});
  EXPECT_EQ(accepted.status, Status::kOk);
  EXPECT_EQ(transport().open_connections(), 2u);
  EXPECT_FALSE(third->broken());
}

TEST_P(TransportContract, PausedAcceptingLeavesClientsInTheQueue) {
  Make();
  transport().PauseAccepting();
  TestClient* const client = Connect();
  EXPECT_TRUE(Quiet());
  EXPECT_FALSE(client->broken());
  transport().StartAccepting();
  EXPECT_EQ(Await(Operation::kAccept, {}).status, Status::kOk);
}

TEST_P(TransportContract, StoppingTakesTheQueueDryAndThenEndsAccepting) {
  Make();
  transport().PauseAccepting();
  std::vector<TestClient*> clients;
  for (int i = 0; i < 5; ++i) clients.push_back(Connect());
  transport().StopAccepting();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Await(Operation::kAccept, {}).status, Status::kOk);
  const Completion end = Await(Operation::kAccept, {});
  EXPECT_EQ(end.status, Status::kCancelled);
  EXPECT_EQ(end.connection.generation, 0u);
  EXPECT_TRUE(Quiet()) << "the end is said once";
  EXPECT_TRUE(Connect()->broken()) << "nobody listens any more";
  EXPECT_EQ(transport().open_connections(), 5u);
  for (TestClient* client : clients) EXPECT_FALSE(client->broken());
}

TEST_P(TransportContract, StoppingAtTheCapEndsAcceptingToo) {
  Make(1);
  (void)ConnectAndAccept();
  (void)Connect();
  transport().StopAccepting();
  const Completion end = Await(Operation::kAccept, {});
  EXPECT_EQ(end.status, Status::kCancelled);
  EXPECT_EQ(transport().open_connections(), 1u);
}

TEST_P(TransportContract, StartingAfterTheStopAcceptsNobody) {
  Make();
  transport().StopAccepting();
  transport().StopAccepting();
  EXPECT_EQ(Await(Operation::kAccept, {}).status, Status::kCancelled);
  transport().StartAccepting();
  EXPECT_TRUE(Connect()->broken());
  EXPECT_TRUE(Quiet());
}

TEST_P(TransportContract, ANumberUsedAgainHasANewGeneration) {
  Make(1);
  const ConnectionId first = ConnectAndAccept().id;
  transport().Close(first, false);
  const Pair second = ConnectAndAccept();
  EXPECT_EQ(second.id.number, first.number);
  EXPECT_NE(second.id.generation, first.generation);
  ASSERT_EQ(second.client->Send("new"), 3u);
  EXPECT_EQ(ReceiveAll(second.id, 3).bytes, "new");
  EXPECT_DEATH(transport().ReceiveLent(first), "the connection is closed");
  EXPECT_DEATH(transport().Close(first, false), "the connection is closed");
}

// What an old connection had waiting must not reach the one that got its number.
TEST_P(TransportContract, ANewConnectionHearsNothingOfTheOldOne) {
  Make(1);
  for (int i = 0; i < 20; ++i) {
    const Pair pair = ConnectAndAccept();
    transport().ReceiveLent(pair.id);
    const std::string text = "number " + std::to_string(i);
    ASSERT_EQ(pair.client->Send(text), text.size());
    if (i % 2 == 0) {
      transport().Cancel(pair.id);
      (void)AwaitReceived(pair.id);
    } else {
      EXPECT_EQ(AwaitReceived(pair.id).bytes[0], 'n');
    }
    transport().Close(pair.id, i % 3 == 0);
    EXPECT_TRUE(kept().empty());
  }
}

TEST_P(TransportContract, ManyClientsAreAnsweredEachWithItsOwn) {
  constexpr uint32_t kClients = 200;
  Make(kClients);
  std::vector<Pair> pairs(kClients);  // by number
  for (uint32_t i = 0; i < kClients; ++i) {
    const Pair pair = ConnectAndAccept();
    pairs[pair.id.number] = pair;
  }
  const auto text_of = [](uint32_t number) { return "<" + std::to_string(number) + ">"; };
  for (int round = 0; round < 3; ++round) {
    for (const Pair& pair : pairs) {
      transport().ReceiveLent(pair.id);
      const std::string text = text_of(pair.id.number);
      EXPECT_EQ(pair.client->Send(text), text.size());
    }
    std::vector<std::string> received(kClients);
    for (uint32_t whole = 0; whole < kClients;) {
      const Completion completion = Await(Operation::kReceive, {});
      ASSERT_EQ(completion.status, Status::kOk);
      std::string& text = received[completion.connection.number];
      text += completion.lent;
      transport().Return(completion);
      if (text.back() == '>') {
        ++whole;
      } else {
        transport().ReceiveLent(completion.connection);
      }
    }
    for (uint32_t number = 0; number < kClients; ++number) {
      ASSERT_EQ(received[number], text_of(number));
      std::string read = SendAll(pairs[number], received[number]);
      read += ReadUntil(pairs[number].client, [&](Bytes more) {
        return read.size() + more.size() == received[number].size();
      });
      ASSERT_EQ(read, received[number]);
    }
  }
  EXPECT_EQ(transport().open_connections(), kClients);
}

}  // namespace pure::transport
