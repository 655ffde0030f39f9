// What the fake does beyond the contract, which has a test of its own.

#include "transport/fake/fake_transport.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/simulated_clock.h"
#include "transport/fake/fake_client.h"

namespace pure::transport {
namespace {

class FakeTransportTest : public ::testing::Test {
 protected:
  static FakeOptions Options(uint64_t seed) {
    return {.transport = {.connections = 4, .receive_buffer_bytes = 16},
            .seed = seed,
            .lent_buffers_max = 4};
  }
  static void Listen(FakeTransport* transport) {
    uint16_t port = 0;
    ASSERT_TRUE(transport->Listen({}, &port).ok());
    transport->StartAccepting();
  }
  static ConnectionId Accept(FakeTransport* transport) {
    std::array<Completion, 1> completion;
    EXPECT_EQ(transport->Wait(0, absl::MakeSpan(completion)), 1u);
    EXPECT_EQ(completion[0].operation, Operation::kAccept);
    return completion[0].connection;
  }
  static Completion Next(FakeTransport* transport) {
    std::array<Completion, 1> completion;
    EXPECT_EQ(transport->Wait(0, absl::MakeSpan(completion)), 1u);
    return completion[0];
  }

  testing::SimulatedClock clock_;
};

TEST_F(FakeTransportTest, EachPieceOfAClientArrivesByItself) {
  FakeTransport transport(Options(0), &clock_);
  Listen(&transport);
  FakeClient client(&transport);
  const ConnectionId id = Accept(&transport);
  client.SendInPieces("abcde", 2);
  for (const char* piece : {"ab", "cd", "e"}) {
    transport.ReceiveLent(id);
    const Completion completion = Next(&transport);
    EXPECT_EQ(completion.lent, piece);
    transport.Return(completion);
  }
}

TEST_F(FakeTransportTest, ASendIsAsLongAsTheWindow) {
  FakeTransport transport(Options(0), &clock_);
  Listen(&transport);
  FakeClient client(&transport);
  const ConnectionId id = Accept(&transport);
  client.set_window_bytes(3);
  transport.Send(id, {"ab", "cdef"});
  EXPECT_EQ(Next(&transport).bytes, 3u);
  transport.Send(id, {"def"});
  std::array<Completion, 1> none;
  EXPECT_EQ(transport.Wait(0, absl::MakeSpan(none)), 0u);
  EXPECT_EQ(client.Read(2), "ab");
  EXPECT_EQ(Next(&transport).bytes, 2u);
  EXPECT_EQ(client.Read(), "cde");
}

TEST_F(FakeTransportTest, BytesOfASendAreReadWhenItIsMade) {
  FakeTransport transport(Options(0), &clock_);
  Listen(&transport);
  FakeClient client(&transport);
  const ConnectionId id = Accept(&transport);
  std::string text = "good";
  transport.Send(id, {Bytes(text)});
  text = "evil";  // it belongs to the transport: this is the mistake that shows
  EXPECT_EQ(Next(&transport).bytes, 4u);
  EXPECT_EQ(client.Read(), "evil");
}

TEST_F(FakeTransportTest, ReturnedBytesAreGone) {
  FakeTransport transport(Options(0), &clock_);
  Listen(&transport);
  FakeClient client(&transport);
  const ConnectionId id = Accept(&transport);
  client.Send("secret");
  transport.ReceiveLent(id);
  const Completion completion = Next(&transport);
  EXPECT_EQ(completion.lent, "secret");
  EXPECT_EQ(transport.lent_buffers(), 1u);
  transport.Return(completion);
  EXPECT_EQ(transport.lent_buffers(), 0u);
  EXPECT_EQ(completion.lent, std::string(6, '\xDD'));
  EXPECT_DEATH(transport.Return(completion), "not lent");
}

TEST_F(FakeTransportTest, SendsFailAsTheTestSays) {
  FakeTransport transport(Options(0), &clock_);
  Listen(&transport);
  FakeClient client(&transport);
  const ConnectionId id = Accept(&transport);
  transport.set_send_status(Status::kUnreadable);
  transport.Send(id, {"lost"});
  EXPECT_EQ(Next(&transport).status, Status::kUnreadable);
  transport.set_send_status(Status::kOk);
  transport.Send(id, {"sent"});
  EXPECT_EQ(Next(&transport).status, Status::kOk);
  EXPECT_EQ(client.Read(), "sent");
}

TEST_F(FakeTransportTest, ALackOfDescriptorsIsSaidOnceUntilAConnectionIsClosed) {
  FakeTransport transport(Options(0), &clock_);
  Listen(&transport);
  FakeClient first(&transport);
  const ConnectionId id = Accept(&transport);
  transport.set_descriptors_lacking(true);
  FakeClient second(&transport);
  EXPECT_EQ(Next(&transport).status, Status::kDescriptors);
  std::array<Completion, 4> completions;
  EXPECT_EQ(transport.Wait(0, absl::MakeSpan(completions)), 0u);
  transport.set_descriptors_lacking(false);
  transport.Close(id, false);
  EXPECT_EQ(transport.Wait(0, absl::MakeSpan(completions)), 1u);
  EXPECT_EQ(completions[0].status, Status::kOk);
}

TEST_F(FakeTransportTest, ClosingWithUnreadBytesIsAReset) {
  FakeTransport transport(Options(0), &clock_);
  Listen(&transport);
  FakeClient client(&transport);
  const ConnectionId id = Accept(&transport);
  transport.Send(id, {"the answer"});
  (void)Next(&transport);
  client.Send("still sending");
  transport.Close(id, false);
  EXPECT_TRUE(client.broken());
  EXPECT_EQ(client.Read(), "") << "as may happen on the way";
}

TEST_F(FakeTransportTest, AWaitThatFindsNothingLetsTheTestGoOn) {
  FakeTransport transport(Options(0), &clock_);
  Listen(&transport);
  FakeClient client(&transport);
  const ConnectionId id = Accept(&transport);
  transport.ReceiveLent(id);
  std::vector<int64_t> deadlines;
  transport.set_idle([&](int64_t deadline_ns) {
    deadlines.push_back(deadline_ns);
    client.Send("now");
  });
  std::array<Completion, 4> completions;
  const int64_t deadline_ns = clock_.MonotonicNs() + 7;
  EXPECT_EQ(transport.Wait(deadline_ns, absl::MakeSpan(completions)), 1u);
  EXPECT_EQ(completions[0].lent, "now");
  EXPECT_EQ(deadlines, std::vector<int64_t>{deadline_ns});
  transport.Return(completions[0]);
}

TEST_F(FakeTransportTest, WhoeverConnectsToNobodyIsRefused) {
  FakeTransport transport(Options(0), &clock_);
  FakeClient client(&transport);
  EXPECT_TRUE(client.broken());
  client.Send("into the void");
  EXPECT_EQ(client.Read(), "");
}

// The course of a few clients that send, under a seed: what completed, in which order, how long.
std::string Course(uint64_t seed, Clock* clock) {
  FakeTransport transport({.transport = {.connections = 4, .receive_buffer_bytes = 16},
                           .seed = seed,
                           .lent_buffers_max = 4},
                          clock);
  uint16_t port = 0;
  EXPECT_TRUE(transport.Listen({}, &port).ok());
  transport.StartAccepting();
  std::vector<std::unique_ptr<FakeClient>> clients;
  for (int i = 0; i < 4; ++i) {
    clients.push_back(std::make_unique<FakeClient>(&transport));
    clients.back()->Send("some text to be cut");
  }
  std::string course;
  std::array<Completion, 8> completions;
  for (int i = 0; i < 40; ++i) {
    const size_t count = transport.Wait(0, absl::MakeSpan(completions));
    for (const Completion& completion : absl::MakeSpan(completions).first(count)) {
      course += std::to_string(static_cast<int>(completion.operation)) +
                std::to_string(completion.connection.number) + ":" +
                std::to_string(completion.bytes) + " ";
      if (!completion.lent.empty()) transport.Return(completion);
      transport.ReceiveLent(completion.connection);
    }
    course += "| ";
  }
  return course;
}

TEST_F(FakeTransportTest, TheSameSeedGoesTheSameCourseAndAnotherAnother) {
  EXPECT_EQ(Course(7, &clock_), Course(7, &clock_));
  EXPECT_NE(Course(7, &clock_), Course(8, &clock_));
  EXPECT_EQ(Course(0, &clock_), Course(0, &clock_));
}

TEST_F(FakeTransportTest, MisuseThatARealTransportMayNotNoticeIsCaught) {
  FakeTransport transport(Options(0), &clock_);
  EXPECT_DEATH(transport.StartAccepting(), "accepting needs a listener");
  Listen(&transport);
  FakeClient client(&transport);
  const ConnectionId id = Accept(&transport);
  EXPECT_DEATH(transport.Send(id, {""}), "an empty span");
  transport.Send(id, {"x"});
  EXPECT_DEATH(transport.ShutdownSend(id), "while a send is outstanding");
  (void)Next(&transport);
  transport.ShutdownSend(id);
  EXPECT_DEATH(transport.Send(id, {"y"}), "after the end of our side");
}

}  // namespace
}  // namespace pure::transport
