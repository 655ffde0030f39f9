#pragma once

// Part of the contract suite: receiving, lent and into given memory, and how it ends.

#include <string>
#include <vector>

#include "transport/testing/transport_fixture.h"

namespace pure::transport {

TEST_P(TransportContract, LentBytesAreWhatTheClientSent) {
  Make();
  const Pair pair = ConnectAndAccept();
  ASSERT_EQ(pair.client->Send("hello"), 5u);
  EXPECT_EQ(ReceiveAll(pair.id, 5).bytes, "hello");
}

TEST_P(TransportContract, AReceiveWaitsForBytesAndThenBringsThem) {
  Make();
  const Pair pair = ConnectAndAccept();
  transport().ReceiveLent(pair.id);
  EXPECT_TRUE(Quiet());
  ASSERT_EQ(pair.client->Send("x"), 1u);
  EXPECT_EQ(AwaitReceived(pair.id).bytes, "x");
}

TEST_P(TransportContract, BytesThatCameBeforeTheReceiveAreNotMissed) {
  Make();
  const Pair pair = ConnectAndAccept();
  ASSERT_EQ(pair.client->Send("early"), 5u);
  EXPECT_TRUE(Quiet()) << "nobody asked for them";
  EXPECT_EQ(ReceiveAll(pair.id, 5).bytes, "early");
}

TEST_P(TransportContract, AReceiveIntoGivenMemoryStaysWithinIt) {
  Make();
  const Pair pair = ConnectAndAccept();
  ASSERT_EQ(pair.client->Send("0123456789"), 10u);
  std::string all;
  while (all.size() < 10) {
    const Received received = ReceiveInto(pair.id, 4);
    ASSERT_EQ(received.status, Status::kOk);
    ASSERT_GE(received.bytes.size(), 1u);
    ASSERT_LE(received.bytes.size(), 4u);
    all += received.bytes;
  }
  EXPECT_EQ(all, "0123456789");
}

TEST_P(TransportContract, BytesStayInOrderOverReceivesOfBothKinds) {
  Make();
  const Pair pair = ConnectAndAccept();
  const std::string text = Numbered(100'000);
  std::string all;
  size_t sent = 0;
  for (size_t i = 0; all.size() < text.size(); ++i) {
    if (sent < text.size()) sent += pair.client->Send(Bytes(text).substr(sent, 3'000));
    const Received received = i % 2 == 0 ? ReceiveLent(pair.id) : ReceiveInto(pair.id, 1 + i % 999);
    ASSERT_EQ(received.status, Status::kOk);
    all += received.bytes;
  }
  EXPECT_EQ(all, text);
}

TEST_P(TransportContract, LentBytesStayAsTheyAreUntilTheyAreReturned) {
  Make();
  const Pair first = ConnectAndAccept();
  const Pair second = ConnectAndAccept();
  ASSERT_EQ(first.client->Send("k"), 1u);
  transport().ReceiveLent(first.id);
  const Completion held = Await(Operation::kReceive, first.id);
  ASSERT_EQ(held.lent, "k");
  for (int i = 0; i < 8; ++i) {
    ASSERT_EQ(second.client->Send("otherotherother"), 15u);
    EXPECT_EQ(ReceiveAll(second.id, 15).bytes, "otherotherother");
  }
  EXPECT_EQ(held.lent, "k");
  transport().Return(held);
}

TEST_P(TransportContract, WhenEveryBufferIsLentOnlyReceivesOfThatKindWait) {
  Make(2);  // no backend lends more buffers than it has connections
  const Pair first = ConnectAndAccept();
  const Pair second = ConnectAndAccept();
  std::vector<Completion> held;
  for (const Pair& pair : {first, second}) {
    ASSERT_EQ(pair.client->Send("1"), 1u);
    transport().ReceiveLent(pair.id);
    held.push_back(Await(Operation::kReceive, pair.id));
    ASSERT_EQ(held.back().lent, "1");
  }
  for (const Pair& pair : {first, second}) ASSERT_EQ(pair.client->Send("2"), 1u);
  transport().ReceiveLent(first.id);
  EXPECT_TRUE(Quiet());
  EXPECT_EQ(ReceiveInto(second.id, 10).bytes, "2");
  EXPECT_TRUE(Quiet());
  transport().Return(held[0]);
  EXPECT_EQ(AwaitReceived(first.id).bytes, "2");
  transport().Return(held[1]);
}

TEST_P(TransportContract, TheEndComesAfterTheBytesBeforeIt) {
  Make(16, 8);
  // Shorter than a buffer, as long as one, longer.
  for (const char* text : {"", "abc", "abcdefgh", "abcdefghi"}) {
    const Pair pair = ConnectAndAccept();
    const Bytes bytes = text;
    ASSERT_EQ(pair.client->Send(bytes), bytes.size());
    pair.client->ShutdownSend();
    EXPECT_EQ(ReceiveAll(pair.id, bytes.size()).bytes, bytes);
    const Received end = ReceiveLent(pair.id);
    EXPECT_EQ(end.status, Status::kEnd) << text;
    EXPECT_EQ(end.bytes, "");
    transport().Close(pair.id, false);
  }
}

TEST_P(TransportContract, AReceiveThatWaitsIsToldOfTheEnd) {
  Make();
  const Pair pair = ConnectAndAccept();
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(pair.client->Send("z"), 1u);
    EXPECT_EQ(ReceiveAll(pair.id, 1).bytes, "z");
  }
  transport().ReceiveLent(pair.id);
  EXPECT_TRUE(Quiet());
  pair.client->ShutdownSend();
  EXPECT_EQ(AwaitReceived(pair.id).status, Status::kEnd);
  std::string read = SendAll(pair, "answer");
  read += ReadUntil(pair.client, [&](Bytes more) { return read.size() + more.size() == 6; });
  EXPECT_EQ(read, "answer") << "the other direction goes on";
}

TEST_P(TransportContract, AResetEndsAReceiveThatWaits) {
  Make();
  const Pair pair = ConnectAndAccept();
  transport().ReceiveLent(pair.id);
  EXPECT_TRUE(Quiet());
  pair.client->Reset();
  const Received received = AwaitReceived(pair.id);
  EXPECT_TRUE(received.status == Status::kReset || received.status == Status::kEnd)
      << "a unix socket has no reset, its end is in order";
  transport().Close(pair.id, false);
  EXPECT_TRUE(Quiet());
}

TEST_P(TransportContract, CancelEndsAReceiveAndLosesNoBytes) {
  Make();
  const Pair pair = ConnectAndAccept();
  transport().ReceiveLent(pair.id);
  EXPECT_TRUE(Quiet());
  transport().Cancel(pair.id);
  EXPECT_EQ(AwaitReceived(pair.id).status, Status::kCancelled);
  EXPECT_TRUE(Quiet());
  ASSERT_EQ(pair.client->Send("later"), 5u);
  EXPECT_EQ(ReceiveAll(pair.id, 5).bytes, "later");
}

// The race of the two: one completion, which says which of them it was, and the bytes are there.
TEST_P(TransportContract, CancelOfAReceiveThatFindsBytesCompletesItOnce) {
  Make();
  const Pair pair = ConnectAndAccept();
  for (int i = 0; i < 20; ++i) {
    transport().ReceiveLent(pair.id);
    ASSERT_EQ(pair.client->Send("?"), 1u);
    if (i % 2 == 0) (void)Turn(kMs);
    transport().Cancel(pair.id);
    const Received received = AwaitReceived(pair.id);
    if (received.status == Status::kCancelled) {
      EXPECT_EQ(received.bytes, "");
      EXPECT_EQ(ReceiveAll(pair.id, 1).bytes, "?");
    } else {
      EXPECT_EQ(received.bytes, "?");
    }
    ASSERT_TRUE(kept().empty());
  }
  EXPECT_TRUE(Quiet());
}

TEST_P(TransportContract, CancelWithNothingOutstandingDoesNothing) {
  Make();
  const Pair pair = ConnectAndAccept();
  transport().Cancel(pair.id);
  EXPECT_TRUE(Quiet());
  ASSERT_EQ(pair.client->Send("on"), 2u);
  EXPECT_EQ(ReceiveAll(pair.id, 2).bytes, "on");
}

TEST_P(TransportContract, MisuseOfReceiveIsCaught) {
  Make();
  const Pair pair = ConnectAndAccept();
  EXPECT_DEATH(transport().Receive(pair.id, {}), "into nothing");
  transport().ReceiveLent(pair.id);
  EXPECT_DEATH(transport().ReceiveLent(pair.id), "a receive is outstanding");
  EXPECT_DEATH(transport().Close(pair.id, false), "work outstanding");
  transport().Cancel(pair.id);
  EXPECT_DEATH(transport().Close(pair.id, false), "work outstanding")
      << "until its completion was handed out";
}

}  // namespace pure::transport
