// The contract suite over the fake: in order, and under a few seeds.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "tests/testing/simulated_clock.h"
#include "transport/fake/fake_client.h"
#include "transport/fake/fake_transport.h"
#include "transport/testing/transport_contract.h"

namespace pure::transport {
namespace {

class FakeTestClient final : public TestClient {
 public:
  FakeTestClient(FakeTransport* transport, bool narrow) : client_(transport) {
    if (narrow) client_.set_window_bytes(4096);
  }
  size_t Send(Bytes bytes) override {
    client_.Send(bytes);
    return bytes.size();
  }
  void ShutdownSend() override { client_.ShutdownSend(); }
  void Reset() override { client_.Reset(); }
  std::string Read() override { return client_.Read(); }
  bool ended() override { return client_.ended(); }
  bool broken() override { return client_.broken(); }

 private:
  FakeClient client_;
};

class FakeRig final : public TransportRig {
 public:
  FakeRig(const TransportOptions& options, uint64_t seed)
      : transport_({.transport = options,
                    .seed = seed,
                    .lent_buffers_max = std::min(options.connections, 64u)},
                   &clock_) {
    transport_.set_idle([this](int64_t deadline_ns) {
      ASSERT_NE(deadline_ns, INT64_MAX) << "a wait that nothing would end";
      clock_.AdvanceNs(deadline_ns - clock_.MonotonicNs());
    });
    uint16_t port = 0;
    EXPECT_TRUE(transport_.Listen({}, &port).ok());
    EXPECT_NE(port, 0);
  }
  Transport& transport() override { return transport_; }
  std::unique_ptr<TestClient> Connect(bool narrow) override {
    return std::make_unique<FakeTestClient>(&transport_, narrow);
  }
  int64_t NowNs() override { return clock_.MonotonicNs(); }

 private:
  testing::SimulatedClock clock_;
  FakeTransport transport_;
};

template <uint64_t kSeed>
std::unique_ptr<TransportRig> NewFakeRig(const TransportOptions& options) {
  return std::make_unique<FakeRig>(options, kSeed);
}

INSTANTIATE_TEST_SUITE_P(InOrder, TransportContract, ::testing::Values(&NewFakeRig<0>));
INSTANTIATE_TEST_SUITE_P(Seeded, TransportContract,
                         ::testing::Values(&NewFakeRig<1>, &NewFakeRig<2>, &NewFakeRig<3>,
                                           &NewFakeRig<4>, &NewFakeRig<5>));

}  // namespace
}  // namespace pure::transport
