#pragma once

// Part of the contract suite: random courses of everything at once, against a model of two streams
// for each connection: what one side was told to have sent is what the other receives, in order,
// whoever had the connection's number before.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "transport/testing/transport_fixture.h"

namespace pure::transport {

class RandomCourse {
 public:
  static constexpr size_t kConnections = 4;

  RandomCourse(TransportRig* rig, uint64_t seed) : rig_(rig), random_(seed), links_(kConnections) {}

  void Step() {
    if (waiting_ == nullptr && Below(3) == 0) waiting_ = rig_->Connect(false);
    for (Link& link : links_) {
      if (link.client == nullptr) continue;
      ActAsClient(&link);
      ActAsServer(&link);
    }
    Wait(Below(8) == 0 ? rig_->NowNs() + 100'000 : 0);
  }
  // Everything that a client has sent is received, with no other help than a receive.
  void Settle() {
    for (Link& link : links_) {
      if (link.client == nullptr || link.closes) continue;
      const int64_t end_ns = rig_->NowNs() + 5'000'000'000;
      while (link.server_received < link.client_sent && rig_->NowNs() < end_ns) {
        if (!link.receiving) {
          link.receiving = link.lends = true;
          rig_->transport().ReceiveLent(link.id);
        }
        Wait(end_ns);
      }
      EXPECT_EQ(link.server_received, link.client_sent);
    }
  }
  // Connections that came and went.
  size_t closed() const { return closed_; }

  // Ends what is outstanding, so that the memory of receives may go.
  void Finish() {
    for (Link& link : links_) {
      if (link.client != nullptr) rig_->transport().Cancel(link.id);
    }
    for (int i = 0; i < 1000 && Outstanding(); ++i) Wait(0);
    EXPECT_FALSE(Outstanding());
  }

 private:
  // One connection, by its number.
  struct Link {
    ConnectionId id;
    std::unique_ptr<TestClient> client;  // null: the number is free
    size_t client_sent = 0;              // of the client's stream
    size_t server_received = 0;
    size_t server_sent = 0;  // of the server's stream, by completions
    size_t client_received = 0;
    bool receiving = false;
    bool lends = false;
    bool sending = false;
    bool closes = false;
    std::array<char, 64> into;
    std::string out;
  };

  uint64_t Below(uint64_t bound) { return random_() % bound; }
  // The streams of a connection: bytes that depend on who and where they are.
  static char ByteAt(ConnectionId id, bool of_client, size_t at) {
    return static_cast<char>(id.number * 41 + id.generation * 7 + at * 13 + (of_client ? 1 : 0));
  }
  static std::string Stream(ConnectionId id, bool of_client, size_t begin, size_t size) {
    std::string bytes(size, '\0');
    for (size_t i = 0; i < size; ++i) bytes[i] = ByteAt(id, of_client, begin + i);
    return bytes;
  }

  void ActAsClient(Link* link) {
    if (Below(4) == 0) {
      const std::string bytes = Stream(link->id, true, link->client_sent, 1 + Below(40));
      link->client_sent += link->client->Send(bytes);
    }
    if (Below(4) == 0) {
      const std::string read = link->client->Read();
      EXPECT_EQ(read, Stream(link->id, false, link->client_received, read.size()));
      link->client_received += read.size();
    }
  }

  void ActAsServer(Link* link) {
    Transport& transport = rig_->transport();
    if (!link->closes && !link->receiving && Below(3) != 0) {
      link->receiving = true;
      link->lends = Below(2) == 0;
      if (link->lends) {
        transport.ReceiveLent(link->id);
      } else {
        transport.Receive(link->id, absl::MakeSpan(link->into).first(1 + Below(64)));
      }
    }
    if (!link->closes && !link->sending && Below(4) == 0) {
      link->sending = true;
      link->out = Stream(link->id, false, link->server_sent, 2 + Below(100));
      const size_t cut = 1 + Below(link->out.size() - 1);
      const Bytes out = link->out;
      transport.Send(link->id, {out.substr(0, cut), out.substr(cut)});
    }
    if (Below(16) == 0) transport.Cancel(link->id);
    if (Below(24) == 0) {
      link->closes = true;
      transport.Cancel(link->id);
    }
    if (!link->closes || link->receiving || link->sending) return;
    transport.Close(link->id, Below(2) == 0);
    *link = Link();
    ++closed_;
  }

  void Wait(int64_t deadline_ns) {
    std::array<Completion, 4> completions;
    const size_t room = 1 + Below(4);
    const size_t count =
        rig_->transport().Wait(deadline_ns, absl::MakeSpan(completions).first(room));
    for (size_t i = 0; i < count; ++i) Take(completions[i]);
  }

  void Take(const Completion& completion) {
    ASSERT_LT(completion.connection.number, links_.size());
    Link& link = links_[completion.connection.number];
    if (completion.operation == Operation::kAccept) {
      ASSERT_EQ(completion.status, Status::kOk);
      ASSERT_EQ(link.client, nullptr);
      ASSERT_NE(waiting_, nullptr);
      link.id = completion.connection;
      link.client = std::move(waiting_);
      return;
    }
    ASSERT_TRUE(completion.connection == link.id) << "of one that is closed";
    ASSERT_TRUE(completion.status == Status::kOk || completion.status == Status::kCancelled);
    if (completion.operation == Operation::kSend) {
      ASSERT_TRUE(link.sending);
      link.sending = false;
      link.server_sent += completion.bytes;
      return;
    }
    ASSERT_TRUE(link.receiving);
    link.receiving = false;
    const Bytes bytes = link.lends ? completion.lent : Bytes(link.into.data(), completion.bytes);
    ASSERT_EQ(bytes, Stream(link.id, true, link.server_received, completion.bytes));
    link.server_received += completion.bytes;
    ASSERT_LE(link.server_received, link.client_sent);
    if (!completion.lent.empty()) rig_->transport().Return(completion);
  }

  bool Outstanding() const {
    for (const Link& link : links_) {
      if (link.receiving || link.sending) return true;
    }
    return false;
  }

  TransportRig* const rig_;
  std::mt19937_64 random_;
  std::vector<Link> links_;
  std::unique_ptr<TestClient> waiting_;  // in the queue
  size_t closed_ = 0;
};

TEST_P(TransportContract, RandomCoursesKeepEveryStreamWhole) {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    Make(RandomCourse::kConnections, 32);
    {
      RandomCourse course(&rig(), seed);
      for (int i = 1; i <= 2000 && !HasFailure(); ++i) {
        course.Step();
        if (i % 40 == 0) course.Settle();
      }
      course.Finish();
      EXPECT_GT(course.closed(), 50u);
    }
    TearDown();
    if (HasFailure()) return;
  }
}

}  // namespace pure::transport
