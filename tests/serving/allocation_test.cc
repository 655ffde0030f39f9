// Nothing is allocated per request on the path of a GET, and nothing but the ingress on that of a
// PUT: measured over the whole way, from the socket through parser, runtime, executor, module and
// extent store and back.

#include <sys/socket.h>

#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "store/extent_store.h"
#include "store/posix/posix_files.h"
#include "store/posix/temporary_directory.h"
#include "tests/testing/allocation_counter.h"
#include "tests/testing/local_server.h"
#include "tests/testing/seeded_entropy.h"

namespace pure {
namespace {

using testing::AllocationCounter;
using testing::LocalClient;
using testing::LocalServer;

// Sends a request and takes one answer in a fixed buffer, so that only the server can allocate.
size_t Exchange(LocalServer* server, const LocalClient& client, Bytes request) {
  static char buffer[65536];
  if (send(client.descriptor(), request.data(), request.size(), 0) < 0) return 0;
  size_t size = 0;
  for (int i = 0; i < 1000 && size == 0; ++i) {
    (void)server->Turn();
    const ssize_t count = recv(client.descriptor(), buffer, sizeof(buffer), MSG_DONTWAIT);
    if (count > 0) size = static_cast<size_t>(count);
  }
  return Bytes(buffer, size).substr(0, 12) == "HTTP/1.1 200" ? size : 0;
}

class AllocationTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store::ExtentStoreOptions options;
    options.entropy = &entropy_;
    absl::StatusOr<std::unique_ptr<store::Directory>> files =
        store::OpenDirectory(directory_.Path("store"));
    ASSERT_TRUE(files.ok()) << files.status();
    absl::StatusOr<std::unique_ptr<store::ExtentStore>> store =
        store::ExtentStore::Open(*std::move(files), options);
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
    server_ = std::make_unique<LocalServer>(store_.get());
  }

  store::TemporaryDirectory directory_;
  testing::SeededEntropy entropy_{1};
  std::unique_ptr<store::ExtentStore> store_;
  std::unique_ptr<LocalServer> server_;
};

TEST_F(AllocationTest, AGetAllocatesNothing) {
  LocalClient client(server_.get());
  for (const size_t size : {100u, 1500u, 8000u}) {
    const std::string key = "k" + std::to_string(size);
    ASSERT_EQ(client.Put(key, std::string(size, 'x')).status, 200);
    const std::string request = "GET /objects/" + key + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
    for (int i = 0; i < 10; ++i) ASSERT_GT(Exchange(server_.get(), client, request), size);
    AllocationCounter counter;
    for (int i = 0; i < 200; ++i) ASSERT_GT(Exchange(server_.get(), client, request), size);
    EXPECT_EQ(counter.allocations(), 0u) << size << " bytes";
  }
}

TEST_F(AllocationTest, APutAllocatesItsIngressAndNothingElseOnTheWay) {
  LocalClient client(server_.get());
  ASSERT_EQ(client.Put("k", std::string(1500, 'x')).status, 200);
  const std::string body(1500, 'y');
  uint64_t revision = 1;
  const auto put = [&] {
    static char request[2048];
    const int size =
        snprintf(request, sizeof(request),
                 "PUT /objects/k HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1500\r\n"
                 "If-Match: \"%llu\"\r\n\r\n%s",
                 static_cast<unsigned long long>(revision++), body.c_str());
    return Exchange(server_.get(), client, Bytes(request, static_cast<size_t>(size)));
  };
  for (int i = 0; i < 20; ++i) ASSERT_GT(put(), 0u);
  const uint64_t ingress_before = server_->memory().allocations();
  AllocationCounter counter;
  constexpr uint64_t kPuts = 100;
  for (uint64_t i = 0; i < kPuts; ++i) ASSERT_GT(put(), 0u);
  EXPECT_EQ(server_->memory().allocations() - ingress_before, kPuts);
  // The counting memory of the test keeps a node beside each block; the server needs nothing else
  // for a request. Now and then an array of the test's or the index's grows.
  EXPECT_LE(counter.allocations(), 2 * kPuts + 4);
}

}  // namespace
}  // namespace pure
