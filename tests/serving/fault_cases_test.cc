// The wire cases that need a fault injected: over the production shard, connections and extent
// store, on the simulated disk (srv-fsync-fail, srv-fsync-enospc, srv-disk-full,
// srv-corrupt-extent, srv-busy, srv-oom) and, for a page that goes bad under an answer, on the real
// one (srv-read-error-mid-body).

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "store/extent_store.h"
#include "store/memory_store.h"
#include "store/posix/posix_files.h"
#include "store/posix/temporary_directory.h"
#include "store/simulated/simulated_disk.h"
#include "tests/testing/local_server.h"
#include "tests/testing/seeded_entropy.h"

namespace pure {
namespace {

using testing::Answer;
using testing::LocalClient;
using testing::LocalServer;

class FaultCasesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    options_.entropy = &entropy_;
    options_.on_failed_sync = [this] { ++failed_syncs_; };
    options_.first_segment_bytes = 64u << 10;
    options_.segment_bytes = 64u << 10;
    Open();
  }

  void Open() {
    absl::StatusOr<std::unique_ptr<store::ExtentStore>> store =
        store::ExtentStore::Open(disk_.OpenDirectory(), options_);
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
    server_ = std::make_unique<LocalServer>(store_.get());
  }

  void FailSync(store::IoError error) {
    disk_.Inject({.kind = store::CallKind::kSync, .error = error});
  }

  // A failed sync fails every request of its burst, and no later write of this process succeeds.
  void CheckFailedSync(store::IoError error) {
    LocalClient reader(server_.get());
    ASSERT_EQ(reader.Put("seed0", "hello").status, 200);
    FailSync(error);
    LocalClient first(server_.get());
    ASSERT_EQ(first.Get("none").status, 404);
    // Both are there before the server takes a turn, so they share a burst.
    first.Send(
        "PUT /objects/ff1 HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\n"
        "If-None-Match: *\r\n\r\nhello");
    reader.Send("GET /objects/seed0 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    const Answer write = first.Receive();
    EXPECT_EQ(write.status, 500);
    EXPECT_EQ(write.error(), "durability_unknown");
    EXPECT_EQ(write.Field("Connection"), "close");
    EXPECT_TRUE(first.Ended());
    const Answer read = reader.Receive();
    EXPECT_EQ(read.status, 500) << "a read of the same burst";
    EXPECT_EQ(read.error(), "durability_unknown");
    EXPECT_EQ(failed_syncs_, 1);
    EXPECT_EQ(store_->state(), store::StoreState::kPoisoned);

    LocalClient later(server_.get());
    const Answer refused = later.Put("ff3", "x");
    EXPECT_EQ(refused.status, 500) << "the disk would say 0 to a second sync";
    EXPECT_EQ(refused.error(), "storage");
    EXPECT_EQ(LocalClient(server_.get()).Get("seed0").body, "hello") << "reads go on";
  }

  store::SimulatedDisk disk_;
  testing::SeededEntropy entropy_{1};
  store::ExtentStoreOptions options_;
  std::unique_ptr<store::ExtentStore> store_;
  std::unique_ptr<LocalServer> server_;
  int failed_syncs_ = 0;  // that the store told of
};

TEST_F(FaultCasesTest, AFailedSyncFailsItsWholeBurstAndEndsWriting) {
  CheckFailedSync(store::IoError::kInputOutput);
}

TEST_F(FaultCasesTest, NoSpaceFromASyncIsAFailedSyncToo) {
  CheckFailedSync(store::IoError::kNoSpace);
}

TEST_F(FaultCasesTest, AFullDiskRefusesWritesReadsGoOnAndWritesResumeWhenThereIsSpace) {
  LocalClient client(server_.get());
  ASSERT_EQ(client.Put("seed0", "hello").status, 200);
  disk_.SetCapacity(disk_.used_bytes());
  const std::string large(100'000, 'x');  // needs a new segment
  const Answer refused = client.Put("df1", large);
  EXPECT_EQ(refused.status, 507);
  EXPECT_EQ(refused.error(), "storage_full");
  EXPECT_EQ(client.Get("seed0").body, "hello") << "on the same connection";
  EXPECT_EQ(client.Get("df1").status, 404);
  disk_.SetCapacity(UINT64_MAX);
  EXPECT_EQ(client.Put("df1", large).status, 200);
  EXPECT_EQ(client.Get("df1").body, large);
  EXPECT_EQ(failed_syncs_, 0);
}

TEST_F(FaultCasesTest, AFlippedBitIsNeverAnswered) {
  LocalClient client(server_.get());
  ASSERT_EQ(client.Put("seed0", "the older bytes").status, 200);
  ASSERT_EQ(client.Put("seed0", "needle in the segment", "If-Match: \"1\"\r\n").status, 200);
  int flipped = 0;
  for (const std::string& name : disk_.Names()) {
    const size_t at = disk_.Content(name).find("needle");
    if (at == std::string::npos) continue;
    disk_.Overwrite(name, at, "Needle");
    ++flipped;
  }
  ASSERT_EQ(flipped, 1);
  const Answer answer = client.Get("seed0");
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.error(), "storage");
  EXPECT_EQ(answer.body, "") << "neither the wrong bytes nor an older revision";
}

TEST_F(FaultCasesTest, NoMemoryForABodyIsRefusedAndPasses) {
  LocalClient client(server_.get());
  server_->memory().FailAllocation(1);
  const Answer refused = client.Put("om1", "hello");
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.error(), "allocation");
  EXPECT_TRUE(client.Ended()) << "the body was not read";
  EXPECT_EQ(LocalClient(server_.get()).Put("om1", "hello").status, 200);
}

TEST_F(FaultCasesTest, ABusyStoreIsToldAndTheConnectionGoesOn) {
  store::MemoryStore store;
  LocalServer server(&store);
  LocalClient client(&server);
  store.FailSaves(1, Result::kBusy);
  const Answer refused = client.Put("bu1", "hello");
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.error(), "store_busy");
  EXPECT_EQ(refused.Field("Retry-After"), "1");
  EXPECT_EQ(client.Put("bu1", "hello").status, 200);
}

TEST(RealDiskFaultCasesTest, APageThatGoesBadUnderAnAnswerCutsItShort) {
  store::TemporaryDirectory directory;
  testing::SeededEntropy entropy(1);
  store::ExtentStoreOptions options;
  options.entropy = &entropy;
  absl::StatusOr<std::unique_ptr<store::Directory>> files =
      store::OpenDirectory(directory.Path("store"));
  ASSERT_TRUE(files.ok()) << files.status();
  absl::StatusOr<std::unique_ptr<store::ExtentStore>> store =
      store::ExtentStore::Open(*std::move(files), options);
  ASSERT_TRUE(store.ok()) << store.status();
  LocalServer server(store->get());
  const std::string body(12u << 20, 'b');
  ASSERT_EQ(LocalClient(&server).Put("big0", body).status, 200);
  LocalClient slow(&server, 4096);
  slow.Send("GET /objects/big0 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  // The head has gone out, and as much of the body as the kernel takes.
  ASSERT_TRUE(
      server.TurnUntil([&] { return server.Count(transport::Count::kBorrowedOutputBytes) > 0; }));
  for (int i = 0; i < 20; ++i) (void)server.Turn();
  // The rest of the mapping has no page behind it from here on.
  int shortened = 0;
  DIR* const names = opendir(directory.Path("store").c_str());
  ASSERT_NE(names, nullptr);
  while (const dirent* entry = readdir(names)) {
    if (std::string(entry->d_name).rfind("seg-", 0) != 0) continue;
    shortened += truncate((directory.Path("store") + "/" + entry->d_name).c_str(), 8192) == 0;
  }
  closedir(names);
  ASSERT_GT(shortened, 0);
  const Answer answer = slow.Receive();
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(answer.cut) << "never padded: " << answer.body.size();
  EXPECT_TRUE(server.Stop());
  EXPECT_EQ(server.Count(transport::Count::kRetainedBytes), 0u) << "what was lent came back";
}

}  // namespace
}  // namespace pure
