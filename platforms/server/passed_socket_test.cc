#include "platforms/server/passed_socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gtest/gtest.h"
#include "platforms/server/serve_options.h"

namespace pure::server {
namespace {

int BoundSocket(uint32_t address) {
  const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(address);
  EXPECT_EQ(bind(descriptor, reinterpret_cast<sockaddr*>(&to), sizeof(to)), 0);
  return descriptor;
}

TEST(PassedSocketTest, TellsALoopbackSocketFromOneThatOthersReach) {
  const int near = BoundSocket(INADDR_LOOPBACK);
  const int far = BoundSocket(INADDR_ANY);
  const absl::StatusOr<transport::ListenAddress> loopback = AddressOfSocket(near);
  const absl::StatusOr<transport::ListenAddress> any = AddressOfSocket(far);
  ASSERT_TRUE(loopback.ok() && any.ok());
  EXPECT_EQ(loopback->address, "127.0.0.1");
  EXPECT_NE(loopback->port, 0);
  EXPECT_TRUE(IsLoopback(*loopback));
  EXPECT_FALSE(IsLoopback(*any));
  EXPECT_FALSE(CheckReach(*any, false, false).ok());
  close(near);
  close(far);
}

TEST(PassedSocketTest, RefusesWhatIsNoSocket) { EXPECT_FALSE(AddressOfSocket(-1).ok()); }

}  // namespace
}  // namespace pure::server
