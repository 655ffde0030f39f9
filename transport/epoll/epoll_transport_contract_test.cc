// The contract suites over epoll: TCP on loopback, and a unix socket.

#include <memory>
#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "transport/epoll/epoll_transport.h"
#include "transport/testing/socket_contract.h"
#include "transport/testing/socket_rig.h"
#include "transport/testing/transport_contract.h"

namespace pure::transport {
namespace {

template <SocketClient::Kind kKind>
std::unique_ptr<TransportRig> NewEpollRig(const TransportOptions& options) {
  std::string why_not;
  std::unique_ptr<Transport> transport = EpollTransport::Make(options, &why_not);
  EXPECT_NE(transport, nullptr) << why_not;
  if (transport == nullptr) return nullptr;
  return std::make_unique<SocketRig>(std::move(transport), kKind);
}

constexpr NewRig kTcp = &NewEpollRig<SocketClient::Kind::kTcp>;
constexpr NewRig kUnix = &NewEpollRig<SocketClient::Kind::kUnix>;

INSTANTIATE_TEST_SUITE_P(Tcp, TransportContract, ::testing::Values(kTcp));
INSTANTIATE_TEST_SUITE_P(Unix, TransportContract, ::testing::Values(kUnix));
INSTANTIATE_TEST_SUITE_P(Tcp, SocketContract, ::testing::Values(kTcp));
INSTANTIATE_TEST_SUITE_P(Unix, SocketContract, ::testing::Values(kUnix));

}  // namespace
}  // namespace pure::transport
