#include "transport/epoll/listener.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "transport/testing/socket_directory.h"

namespace pure::transport {
namespace {

using Family = ListenAddress::Family;

ListenOptions Tcp(uint16_t port) {
  ListenOptions options;
  options.address.port = port;
  return options;
}

ListenOptions UnixAt(const std::string& path) {
  ListenOptions options;
  options.address.family = Family::kUnix;
  options.address.address = path;
  return options;
}

bool Answers(const std::string& path) {
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  std::memcpy(to.sun_path, path.data(), path.size());
  const int client = socket(AF_UNIX, SOCK_STREAM, 0);
  const bool answers = connect(client, reinterpret_cast<sockaddr*>(&to), sizeof(to)) == 0;
  close(client);
  return answers;
}

// Closes its listener at the end of a test.
class Opened {
 public:
  explicit Opened(absl::StatusOr<Listener> listener) : status_(listener.status()) {
    if (listener.ok()) listener_ = *std::move(listener);
  }
  ~Opened() { CloseListener(&listener_); }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  bool ok() const { return status_.ok(); }
  std::string why() const { return std::string(status_.message()); }
  Listener* operator->() { return &listener_; }
  Listener& operator*() { return listener_; }

 private:
  const absl::Status status_;
  Listener listener_;
};

class UnixListenerTest : public ::testing::Test {
 protected:
  ~UnixListenerTest() override { unlink(path_.c_str()); }
  bool IsThere() const { return access(path_.c_str(), F_OK) == 0; }

  const SocketDirectory directory_;
  const std::string path_ = directory_.socket();
};

TEST(TcpListenerTest, TheKernelChoosesThePortThatIsNotNamed) {
  Opened listener(OpenListener(Tcp(0)));
  ASSERT_TRUE(listener.ok()) << listener.why();
  EXPECT_NE(listener->port, 0);
  EXPECT_TRUE(listener->tcp);
  const int flags = fcntl(listener->descriptor, F_GETFL);
  EXPECT_NE(flags & O_NONBLOCK, 0);
  EXPECT_NE(fcntl(listener->descriptor, F_GETFD) & FD_CLOEXEC, 0);
}

TEST(TcpListenerTest, APortInUseIsNamed) {
  Opened first(OpenListener(Tcp(0)));
  ASSERT_TRUE(first.ok());
  Opened second(OpenListener(Tcp(first->port)));
  EXPECT_EQ(second.why(), absl::StrCat("127.0.0.1:", first->port, " is in use by another process"));
}

TEST(TcpListenerTest, APortIsFreeAgainAtOnce) {
  uint16_t port = 0;
  for (int i = 0; i < 3; ++i) {
    Opened listener(OpenListener(Tcp(port)));
    ASSERT_TRUE(listener.ok()) << listener.why();
    port = listener->port;
    // A connection of the last run that waits for its time to be over does not count.
    const int client = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(connect(client, reinterpret_cast<sockaddr*>(&to), sizeof(to)), 0);
    const int server = accept(listener->descriptor, nullptr, nullptr);
    close(server);
    close(client);
  }
}

TEST(TcpListenerTest, ThreadsShareAPortWhenAllOfThemSaySo) {
  ListenOptions options = Tcp(0);
  options.share_port = options.exclusive_check = true;
  Opened first(OpenListener(options));
  ASSERT_TRUE(first.ok()) << first.why();
  options = Tcp(first->port);
  options.share_port = true;
  Opened second(OpenListener(options));
  EXPECT_TRUE(second.ok()) << second.why();
  Opened alone(OpenListener(Tcp(first->port)));
  EXPECT_FALSE(alone.ok());
}

TEST(TcpListenerTest, ASecondServerDoesNotShareThePortOfTheFirst) {
  ListenOptions options = Tcp(0);
  options.share_port = options.exclusive_check = true;
  Opened first(OpenListener(options));
  ASSERT_TRUE(first.ok());
  options.address.port = first->port;
  Opened other(OpenListener(options));
  EXPECT_EQ(other.why(), absl::StrCat("127.0.0.1:", first->port, " is in use by another process"));
}

TEST(TcpListenerTest, Ipv6AndIpv4DoNotMeet) {
  ListenOptions options;
  options.address.family = Family::kIpv6;
  options.address.address = "::";
  Opened six(OpenListener(options));
  if (!six.ok()) GTEST_SKIP() << "no IPv6 here: " << six.why();
  options = Tcp(six->port);
  options.address.address = "0.0.0.0";
  Opened four(OpenListener(options));
  EXPECT_TRUE(four.ok()) << four.why();
}

TEST(TcpListenerTest, AddressesThatCanNotBeAreNamed) {
  ListenOptions options = Tcp(80);
  options.address.address = "localhost";
  EXPECT_EQ(Opened(OpenListener(options)).why(), "localhost is no address to listen on");
  options.address.address = "192.0.2.1";  // RFC 5737: nobody's
  EXPECT_EQ(Opened(OpenListener(options)).why(), "192.0.2.1:80 is no address of this machine");
}

TEST_F(UnixListenerTest, TheSocketMayBeUsedByItsGroupAndGoesWithTheListener) {
  {
    const mode_t before = umask(0077);
    Opened listener(OpenListener(UnixAt(path_)));
    umask(before);
    ASSERT_TRUE(listener.ok()) << listener.why();
    EXPECT_EQ(listener->port, 0);
    EXPECT_FALSE(listener->tcp);
    struct stat info;
    ASSERT_EQ(stat(path_.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0660u);
    EXPECT_TRUE(Answers(path_));
  }
  EXPECT_FALSE(IsThere());
}

TEST_F(UnixListenerTest, ASocketThatNobodyAnswersOnIsReplaced) {
  {
    Opened killed(OpenListener(UnixAt(path_)));
    ASSERT_TRUE(killed.ok());
    killed->unix_path.clear();  // it ends without a chance to tidy up
  }
  ASSERT_TRUE(IsThere());
  ASSERT_FALSE(Answers(path_));
  Opened listener(OpenListener(UnixAt(path_)));
  ASSERT_TRUE(listener.ok()) << listener.why();
  EXPECT_TRUE(Answers(path_));
}

TEST_F(UnixListenerTest, ASocketThatSomebodyListensOnIsLeftAlone) {
  Opened first(OpenListener(UnixAt(path_)));
  ASSERT_TRUE(first.ok());
  {
    Opened second(OpenListener(UnixAt(path_)));
    EXPECT_EQ(second.why(), path_ + " is in use by another process");
  }
  EXPECT_TRUE(Answers(path_));
}

TEST_F(UnixListenerTest, AFileThatIsNoSocketIsLeftAlone) {
  close(open(path_.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  EXPECT_EQ(Opened(OpenListener(UnixAt(path_))).why(), path_ + " is there and is no socket");
  EXPECT_TRUE(IsThere());
}

TEST_F(UnixListenerTest, APathThatDoesNotFitOrHasNoDirectoryIsNamed) {
  EXPECT_FALSE(Opened(OpenListener(UnixAt(""))).ok());
  EXPECT_FALSE(Opened(OpenListener(UnixAt("/" + std::string(107, 'p')))).ok());
  const std::string nowhere = directory_.path() + "/missing/socket";
  EXPECT_EQ(Opened(OpenListener(UnixAt(nowhere))).why(),
            nowhere + ": bind: No such file or directory");
}

TEST_F(UnixListenerTest, ThreadsShareTheQueueOfTheFirst) {
  Opened first(OpenListener(UnixAt(path_)));
  ASSERT_TRUE(first.ok());
  Opened second(ShareListener(*first));
  ASSERT_TRUE(second.ok()) << second.why();
  EXPECT_TRUE(Answers(path_));
  const int accepted = accept(second->descriptor, nullptr, nullptr);
  EXPECT_GE(accepted, 0);
  close(accepted);
  CloseListener(&*second);
  EXPECT_TRUE(IsThere()) << "the first one removes it";
  EXPECT_TRUE(Answers(path_));
}

TEST(PassedListenerTest, APassedSocketIsDuplicatedAndStaysTheCallers) {
  Opened outside(OpenListener(Tcp(0)));
  ASSERT_TRUE(outside.ok());
  ListenOptions options;
  options.address.family = Family::kDescriptor;
  options.address.descriptor = outside->descriptor;
  {
    Opened passed(OpenListener(options));
    ASSERT_TRUE(passed.ok()) << passed.why();
    EXPECT_NE(passed->descriptor, outside->descriptor);
    EXPECT_EQ(passed->port, outside->port);
    EXPECT_TRUE(passed->tcp);
  }
  EXPECT_GE(fcntl(outside->descriptor, F_GETFD), 0);
}

TEST(PassedListenerTest, ADescriptorThatDoesNotListenIsRefused) {
  ListenOptions options;
  options.address.family = Family::kDescriptor;
  const int not_listening = socket(AF_INET, SOCK_STREAM, 0);
  for (const int descriptor : {not_listening, 0, -1}) {
    options.address.descriptor = descriptor;
    EXPECT_EQ(Opened(OpenListener(options)).why(), "the passed descriptor is no listening socket");
  }
  close(not_listening);
}

}  // namespace
}  // namespace pure::transport
