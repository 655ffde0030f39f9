#pragma once

// Part of the contract suite: sending, ending our side, closing.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "transport/testing/transport_fixture.h"

namespace pure::transport {

TEST_P(TransportContract, SpansArriveInTheirOrder) {
  Make();
  const Pair pair = ConnectAndAccept();
  const std::string text = Numbered(kSendSpansMax * 10);
  size_t taken = 0;
  while (taken < text.size()) {
    std::vector<Bytes> spans;
    for (size_t at = taken; at < text.size(); at += 10) {
      spans.push_back(Bytes(text).substr(at, 10));
    }
    transport().Send(pair.id, spans);
    spans.assign(spans.size(), Bytes("the array is the caller's again"));
    const Completion sent = Await(Operation::kSend, pair.id);
    ASSERT_EQ(sent.status, Status::kOk);
    taken += sent.bytes;
  }
  EXPECT_EQ(taken, text.size());
  EXPECT_EQ(ReadUntil(pair.client, [&](Bytes read) { return read.size() >= text.size(); }), text);
}

TEST_P(TransportContract, ThousandsOfSpansOfAllSizesArriveInTheirOrder) {
  Make();
  const Pair pair = ConnectAndAccept(true);
  const std::string text = Numbered(8u << 20);
  std::vector<Bytes> spans;
  for (size_t at = 0; spans.size() < 5000; at += spans.back().size()) {
    spans.push_back(Bytes(text).substr(at, spans.size() % 50 == 0 ? 70'000 : 1));
  }
  const Bytes last = spans.back();
  const Bytes whole(text.data(), static_cast<size_t>(last.data() + last.size() - text.data()));
  std::string read;
  for (size_t first = 0; first < spans.size();) {
    const size_t count = std::min(kSendSpansMax, spans.size() - first);
    transport().Send(pair.id, absl::MakeConstSpan(spans).subspan(first, count));
    std::optional<Completion> sent;
    for (int64_t end_ns = NowNs() + kLongNs; !sent.has_value() && NowNs() < end_ns;) {
      read += pair.client->Read();
      sent = AwaitWithin(Operation::kSend, pair.id, kMs);
    }
    ASSERT_TRUE(sent.has_value());
    ASSERT_EQ(sent->status, Status::kOk);
    size_t taken = sent->bytes;
    for (; taken > 0 && taken >= spans[first].size(); ++first) taken -= spans[first].size();
    if (taken > 0) spans[first].remove_prefix(taken);
  }
  read +=
      ReadUntil(pair.client, [&](Bytes more) { return read.size() + more.size() >= whole.size(); });
  EXPECT_TRUE(read == whole);
}

TEST_P(TransportContract, ABigSendArrivesWholeWhateverPiecesItGoesIn) {
  Make();
  const Pair pair = ConnectAndAccept(true);
  const std::string text = Numbered(8u << 20);
  const Completion first = SendOnce(pair.id, text);
  ASSERT_LT(first.bytes, text.size()) << "it was longer than what lies between the two";
  std::string read = SendAll(pair, Bytes(text).substr(first.bytes));
  read +=
      ReadUntil(pair.client, [&](Bytes more) { return read.size() + more.size() >= text.size(); });
  EXPECT_TRUE(read == text);
}

TEST_P(TransportContract, ASendWaitsForAClientThatDoesNotReadAndThenGoesOn) {
  Make();
  const Pair pair = ConnectAndAccept(true);
  const std::string text(1u << 20, 's');
  const size_t taken = FillUp(pair.id, text);
  EXPECT_GT(taken, 0u);
  EXPECT_TRUE(Quiet());
  std::optional<Completion> sent;
  for (int64_t end_ns = NowNs() + kLongNs; !sent.has_value() && NowNs() < end_ns;) {
    (void)pair.client->Read();
    sent = AwaitWithin(Operation::kSend, pair.id, kMs);
  }
  ASSERT_TRUE(sent.has_value());
  EXPECT_EQ(sent->status, Status::kOk);
}

TEST_P(TransportContract, UnsentBytesAreThoseThatTheClientHasNotTaken) {
  Make();
  const Pair pair = ConnectAndAccept(true);
  EXPECT_EQ(transport().UnsentBytes(pair.id), 0u);
  const size_t taken = FillUp(pair.id, std::string(1u << 20, 'u'));
  EXPECT_GT(transport().UnsentBytes(pair.id), 0u);
  transport().Cancel(pair.id);
  size_t more = Await(Operation::kSend, pair.id).bytes;
  (void)ReadUntil(pair.client, [&](Bytes read) { return read.size() >= taken + more; });
  EXPECT_EQ(transport().UnsentBytes(pair.id), 0u);
}

TEST_P(TransportContract, CancelEndsASendThatWaits) {
  Make();
  const Pair pair = ConnectAndAccept(true);
  const std::string text(1u << 20, 'c');
  const size_t taken = FillUp(pair.id, text);
  transport().Cancel(pair.id);
  const Completion sent = Await(Operation::kSend, pair.id);
  EXPECT_EQ(sent.status, Status::kCancelled);
  EXPECT_EQ(sent.bytes, 0u);
  EXPECT_TRUE(Quiet());
  const std::string read =
      ReadUntil(pair.client, [&](Bytes bytes) { return bytes.size() >= taken; });
  EXPECT_EQ(read.size(), taken) << "what was said to be sent, and nothing else";
}

TEST_P(TransportContract, CancelOfASendCompletesItOnce) {
  Make();
  const Pair pair = ConnectAndAccept();
  std::string sent_text;
  for (int i = 0; i < 20; ++i) {
    const Bytes bytes = "twelve bytes";
    transport().Send(pair.id, absl::MakeConstSpan(&bytes, 1));
    transport().Cancel(pair.id);
    const Completion sent = Await(Operation::kSend, pair.id);
    EXPECT_TRUE(sent.status == Status::kOk || sent.status == Status::kCancelled);
    if (sent.status == Status::kOk) sent_text += bytes.substr(0, sent.bytes);
    ASSERT_TRUE(kept().empty());
  }
  EXPECT_TRUE(Quiet());
  EXPECT_EQ(ReadUntil(pair.client, [&](Bytes read) { return read.size() >= sent_text.size(); }),
            sent_text);
}

TEST_P(TransportContract, ShutdownSendEndsOurSideAfterWhatWasSent) {
  Make();
  const Pair pair = ConnectAndAccept();
  std::string read = SendAll(pair, "last words");
  transport().ShutdownSend(pair.id);
  read += ReadUntil(pair.client, [&](Bytes) { return pair.client->ended(); });
  EXPECT_EQ(read, "last words");
  EXPECT_TRUE(pair.client->ended());
  ASSERT_EQ(pair.client->Send("still here"), 10u);
  EXPECT_EQ(ReceiveAll(pair.id, 10).bytes, "still here");
}

TEST_P(TransportContract, CloseEndsInOrder) {
  Make();
  const Pair pair = ConnectAndAccept();
  std::string read = SendAll(pair, "bye");
  transport().Close(pair.id, false);
  read += ReadUntil(pair.client, [&](Bytes) { return pair.client->ended(); });
  EXPECT_EQ(read, "bye");
  EXPECT_TRUE(pair.client->ended());
  EXPECT_FALSE(pair.client->broken());
}

TEST_P(TransportContract, CloseWithResetDoesNotWaitForTheClient) {
  Make();
  const Pair pair = ConnectAndAccept(true);
  (void)FillUp(pair.id, std::string(1u << 20, 'r'));
  transport().Cancel(pair.id);
  (void)Await(Operation::kSend, pair.id);
  transport().Close(pair.id, true);
  EXPECT_EQ(transport().open_connections(), 0u);
  const auto gone = [&](Bytes) { return pair.client->broken() || pair.client->ended(); };
  (void)ReadUntil(pair.client, gone);
  EXPECT_TRUE(gone({})) << "broken, or ended where the kind of socket has no reset";
}

TEST_P(TransportContract, SendingToAClientThatHasGoneIsAReset) {
  Make();
  const Pair pair = ConnectAndAccept();
  pair.client->Reset();
  Completion sent;
  for (int i = 0; i < 100 && sent.status == Status::kOk; ++i) sent = SendOnce(pair.id, "anybody?");
  EXPECT_EQ(sent.status, Status::kReset);
  EXPECT_TRUE(sent.connection == pair.id);
  transport().Close(pair.id, false);
}

TEST_P(TransportContract, ASendAndAReceiveAreOutstandingAtOnce) {
  Make();
  const Pair pair = ConnectAndAccept(true);
  transport().ReceiveLent(pair.id);
  (void)FillUp(pair.id, std::string(1u << 20, 'b'));
  ASSERT_EQ(pair.client->Send("while it waits"), 14u);
  EXPECT_EQ(AwaitReceived(pair.id).bytes.substr(0, 1), "w");
  transport().Cancel(pair.id);
  EXPECT_EQ(Await(Operation::kSend, pair.id).status, Status::kCancelled);
}

TEST_P(TransportContract, MisuseOfSendIsCaught) {
  Make();
  const Pair pair = ConnectAndAccept();
  EXPECT_DEATH(transport().Send(pair.id, {}), "no or too many spans");
  const std::vector<Bytes> many(kSendSpansMax + 1, "x");
  EXPECT_DEATH(transport().Send(pair.id, many), "no or too many spans");
  const Bytes one = "x";
  transport().Send(pair.id, absl::MakeConstSpan(&one, 1));
  EXPECT_DEATH(transport().Send(pair.id, absl::MakeConstSpan(&one, 1)), "a send is outstanding");
  EXPECT_DEATH(transport().Close(pair.id, true), "work outstanding");
}

}  // namespace pure::transport
