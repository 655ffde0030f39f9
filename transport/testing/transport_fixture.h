#pragma once

// TransportContract: the fixture of the contract suite: makes a rig, and waits for the completions
// that a test asks for while it keeps the others.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "transport/testing/transport_rig.h"
#include "transport/transport.h"

namespace pure::transport {

class TransportContract : public ::testing::TestWithParam<NewRig> {
 protected:
  static constexpr int64_t kMs = 1'000'000;
  // For what must come, and for what must not.
  static constexpr int64_t kLongNs = 5'000 * kMs;
  static constexpr int64_t kMomentNs = 20 * kMs;

  void Make(uint32_t connections = 16, size_t receive_buffer_bytes = 1024) {
    rig_ = GetParam()({.connections = connections, .receive_buffer_bytes = receive_buffer_bytes});
    ASSERT_NE(rig_, nullptr);
    transport().StartAccepting();
  }
  void TearDown() override {
    kept_.clear();
    clients_.clear();
    rig_ = nullptr;
  }

  TransportRig& rig() { return *rig_; }
  Transport& transport() { return rig_->transport(); }
  int64_t NowNs() { return rig_->NowNs(); }

  // Waits once; what comes is kept. False: nothing came until the deadline.
  bool Turn(int64_t wait_ns, size_t room = 64) {
    std::array<Completion, 64> completions;
    const int64_t deadline_ns = NowNs() + wait_ns;
    do {
      const size_t count = transport().Wait(deadline_ns, absl::MakeSpan(completions).first(room));
      kept_.insert(kept_.end(), completions.begin(), completions.begin() + count);
      if (count > 0) return true;
    } while (NowNs() < deadline_ns);
    return false;
  }

  // The first kept completion of that kind, of that connection or of any ({}), waiting for it; none
  // when it does not come.
  std::optional<Completion> AwaitWithin(Operation operation, ConnectionId connection,
                                        int64_t wait_ns) {
    const int64_t deadline_ns = NowNs() + wait_ns;
    for (;;) {
      for (auto it = kept_.begin(); it != kept_.end(); ++it) {
        const bool any = connection == ConnectionId();
        if (it->operation != operation || !(any || it->connection == connection)) continue;
        const Completion found = *it;
        kept_.erase(it);
        return found;
      }
      const int64_t left_ns = deadline_ns - NowNs();
      if (left_ns <= 0 || !Turn(left_ns)) return std::nullopt;
    }
  }
  // The same for one that must come.
  Completion Await(Operation operation, ConnectionId connection) {
    const std::optional<Completion> found = AwaitWithin(operation, connection, kLongNs);
    EXPECT_TRUE(found.has_value()) << "operation " << static_cast<int>(operation);
    return found.value_or(Completion());
  }
  // True: no completion comes in a moment, and none is kept.
  bool Quiet() { return !Turn(kMomentNs) && kept_.empty(); }

  // A client, and its connection once it was accepted.
  struct Pair {
    TestClient* client;
    ConnectionId id;
  };
  TestClient* Connect(bool narrow = false) {
    clients_.push_back(rig_->Connect(narrow));
    return clients_.back().get();
  }
  Pair ConnectAndAccept(bool narrow = false) {
    TestClient* const client = Connect(narrow);
    const Completion accepted = Await(Operation::kAccept, {});
    EXPECT_EQ(accepted.status, Status::kOk);
    EXPECT_NE(accepted.connection.generation, 0u);
    return {client, accepted.connection};
  }

  struct Received {
    Status status;
    std::string bytes;
  };
  Received AwaitReceived(ConnectionId id) {
    const Completion completion = Await(Operation::kReceive, id);
    Received received{completion.status, std::string(completion.lent)};
    EXPECT_EQ(completion.lent.size(), completion.bytes) << "for lent receives only";
    if (!completion.lent.empty()) transport().Return(completion);
    return received;
  }
  Received ReceiveLent(ConnectionId id) {
    transport().ReceiveLent(id);
    return AwaitReceived(id);
  }
  Received ReceiveInto(ConnectionId id, size_t room) {
    std::string into(room, '\0');
    transport().Receive(id, MutableBytes(into.data(), into.size()));
    const Completion completion = Await(Operation::kReceive, id);
    EXPECT_TRUE(completion.lent.empty());
    into.resize(completion.bytes);
    return {completion.status, into};
  }
  // Lent receives until `bytes` came, or something else than bytes.
  Received ReceiveAll(ConnectionId id, size_t bytes) {
    Received all{Status::kOk, ""};
    while (all.bytes.size() < bytes && all.status == Status::kOk) {
      const Received received = ReceiveLent(id);
      all.status = received.status;
      all.bytes += received.bytes;
    }
    return all;
  }

  Completion SendOnce(ConnectionId id, Bytes bytes) {
    transport().Send(id, absl::MakeConstSpan(&bytes, 1));
    return Await(Operation::kSend, id);
  }
  // Sends all of it while the client reads; returns what the client read.
  std::string SendAll(const Pair& pair, Bytes bytes) {
    std::string read;
    while (!bytes.empty()) {
      transport().Send(pair.id, absl::MakeConstSpan(&bytes, 1));
      std::optional<Completion> sent;
      for (int64_t end_ns = NowNs() + kLongNs; !sent.has_value() && NowNs() < end_ns;) {
        read += pair.client->Read();
        sent = AwaitWithin(Operation::kSend, pair.id, kMs);
      }
      EXPECT_TRUE(sent.has_value() && sent->status == Status::kOk);
      if (!sent.has_value() || sent->status != Status::kOk) break;
      bytes.remove_prefix(sent->bytes);
    }
    return read;
  }
  // Sends to a client that reads nothing until no send completes any more: one stays outstanding.
  // Returns how many bytes were taken.
  size_t FillUp(ConnectionId id, Bytes bytes) {
    size_t taken = 0;
    for (;;) {
      transport().Send(id, absl::MakeConstSpan(&bytes, 1));
      const std::optional<Completion> sent = AwaitWithin(Operation::kSend, id, kMomentNs);
      if (!sent.has_value()) return taken;
      EXPECT_EQ(sent->status, Status::kOk);
      taken += sent->bytes;
    }
  }
  // Reads from a client until `done` or the time is over, while the transport goes on.
  template <typename Done>
  std::string ReadUntil(TestClient* client, Done done) {
    std::string read;
    for (int64_t end_ns = NowNs() + kLongNs; NowNs() < end_ns;) {
      read += client->Read();
      if (done(read)) break;
      (void)Turn(kMs);
    }
    return read;
  }
  void CloseAll(absl::Span<const ConnectionId> ids) {
    for (const ConnectionId id : ids) transport().Close(id, false);
  }

  std::deque<Completion>& kept() { return kept_; }

 private:
  std::unique_ptr<TransportRig> rig_;
  std::vector<std::unique_ptr<TestClient>> clients_;
  std::deque<Completion> kept_;
};

// Bytes that tell where they stand.
inline std::string Numbered(size_t bytes) {
  std::string text;
  for (size_t i = 0; text.size() < bytes; ++i) text += std::to_string(i) + ",";
  text.resize(bytes);
  return text;
}

}  // namespace pure::transport
