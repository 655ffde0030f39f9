// The real server is linearizable: many clients ask it at once, and what each was told, with the
// times when it asked and heard, must be what one client after the other could have been told. Some
// servers are killed in the middle and started anew on the same store.

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "gtest/gtest.h"
#include "store/posix/temporary_directory.h"
#include "tests/histories/client.h"
#include "tests/histories/server_process.h"
#include "tests/histories/wgl.h"
#include "tests/histories/workloads.h"
#include "tests/testing/effort.h"
#include "tests/testing/sanitizers.h"

namespace pure::histories {
namespace {

constexpr char kServer[] = "platforms/server/pure";
constexpr size_t kClients = 32;
constexpr size_t kKeys = 16;
constexpr size_t kOperations = 5000;  // of one history
// Of each kind. A sanitizer makes the server slow, and looks for other things.
constexpr uint64_t kHistories = pure::testing::kAnySanitizer ? 5 : 25;
constexpr uint64_t kKilledOneIn = 5;  // histories
constexpr size_t kPipelinedMax = 4;   // requests at once
constexpr int64_t kReconnectMs = 20'000;

int64_t NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// One server, and the histories that are played on it.
template <typename Workload>
class Stage {
 public:
  using Model = typename Workload::Model;
  using Operations = std::vector<Operation<Model>>;

  explicit Stage(int threads) : threads_(threads) {
    std::ofstream(module_) << "module histories 1\n" << Workload::kModule;
  }

  void Start() {
    ASSERT_TRUE(server_.Start(kServer, {"serve", module_, "--store", directory_.Path("store"),
                                        "--port", "0", "--threads", absl::StrCat(threads_)}));
    port_.store(server_.port());
  }
  void Stop() { EXPECT_EQ(server_.Stop(), 0); }

  void Play(uint64_t number, bool killed) {
    number_ = number;
    asked_.store(0);
    for (Operations& key : keys_) key.clear();
    std::vector<std::thread> clients;
    for (size_t client = 0; client < kClients; ++client) {
      clients.emplace_back([this, client] { PlayClient(client); });
    }
    if (killed) {
      while (asked_.load() < kOperations / 2) std::this_thread::yield();
      server_.Kill();
      Start();
    }
    for (std::thread& client : clients) client.join();
    ReadAll();
    for (size_t key = 0; key < kKeys; ++key) {
      operations_ += keys_[key].size();
      const Verdict verdict = Wgl<Model>(keys_[key]).Run();
      if (verdict == Verdict::kGivenUp) ++given_up_;
      if (verdict == Verdict::kBroken && ++broken_ == 1) Print(key);
    }
  }

  const Operations& OfKey(size_t key) const { return keys_[key]; }
  size_t operations() const { return operations_; }
  size_t unknown() const { return unknown_.load(); }
  size_t broken() const { return broken_; }
  size_t given_up() const { return given_up_; }

 private:
  struct Asked {
    size_t key;
    Operation<Model> operation;
  };

  std::string KeyOf(size_t key) const { return absl::StrCat("h", number_, "k", key); }

  void PlayClient(size_t number) {
    Random random(static_cast<uint32_t>(number_ * kClients + number));
    Workload workload(kKeys, static_cast<int64_t>((number_ * kClients + number) * 1'000'000));
    Client client;
    while (asked_.load() < kOperations) {
      if (!client.connected() && !Connect(&client)) return;
      const size_t count = random() % 5 == 0 ? 1 + random() % kPipelinedMax : 1;
      std::vector<Asked> asked(count);
      std::string requests;
      for (Asked& each : asked) {
        each.key = random() % kKeys;
        each.operation.input = workload.Choose(&random, each.key);
        requests += workload.Request(KeyOf(each.key), each.operation.input);
      }
      asked_.fetch_add(count);
      Exchange(&client, requests, &workload, &asked);
      absl::MutexLock lock(&mutex_);
      size_t last[kKeys] = {};
      for (Asked& each : asked) Keep(each, &last[each.key]);
    }
  }

  // All that happened to a key, in the order of the calls.
  void Print(size_t key) const {
    Operations sorted = keys_[key];
    std::sort(sorted.begin(), sorted.end(),
              [](const auto& a, const auto& b) { return a.call_ns < b.call_ns; });
    std::printf("%s is not linearizable:\n", KeyOf(key).c_str());
    for (const Operation<Model>& each : sorted) {
      std::printf("%lld..%lld %s\n", static_cast<long long>(each.call_ns),
                  static_cast<long long>(each.output ? each.return_ns : -1),
                  Workload::Describe(each.input, each.output).c_str());
    }
  }

  void Exchange(Client* client, Bytes requests, Workload* workload, std::vector<Asked>* asked) {
    const int64_t call_ns = NowNs();
    for (Asked& each : *asked) each.operation.call_ns = call_ns;
    if (!client->Send(requests)) return;
    for (Asked& each : *asked) {
      bench::Answer answer;
      if (!client->Receive(&answer)) return;
      each.operation.return_ns = NowNs();
      each.operation.output = workload->Take(each.key, each.operation.input, answer);
      EXPECT_TRUE(each.operation.output.has_value()) << "status " << answer.status;
    }
  }

  // A read that was not answered says nothing. *last: the operation of the key that the client sent
  // before it on its connection.
  void Keep(const Asked& asked, size_t* last) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (!asked.operation.output) {
      if (Workload::IsRead(asked.operation.input)) return;
      unknown_.fetch_add(1);
    }
    keys_[asked.key].push_back(asked.operation);
    keys_[asked.key].back().after = *last;
    if (asked.operation.output) *last = keys_[asked.key].size();
  }

  bool Connect(Client* client) {
    const int64_t end_ns = NowNs() + kReconnectMs * 1'000'000;
    while (!client->Connect(port_.load())) {
      if (NowNs() > end_ns) {
        ADD_FAILURE() << "the server does not come back";
        return false;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
  }

  // So that what was lost at the very end shows as well.
  void ReadAll() {
    Client client;
    ASSERT_TRUE(Connect(&client));
    Workload workload(kKeys, 0);
    for (size_t key = 0; key < kKeys; ++key) {
      std::vector<Asked> asked{{key, {.input = workload.Read()}}};
      Exchange(&client, workload.Request(KeyOf(key), asked[0].operation.input), &workload, &asked);
      absl::MutexLock lock(&mutex_);
      size_t none = 0;
      Keep(asked[0], &none);
    }
  }

  const int threads_;
  store::TemporaryDirectory directory_;
  const std::string module_ = directory_.Path("histories.pure");
  ServerProcess server_;
  std::atomic<uint16_t> port_{0};
  uint64_t number_ = 0;
  std::atomic<size_t> asked_{0};
  std::atomic<size_t> unknown_{0};
  absl::Mutex mutex_;
  Operations keys_[kKeys];
  size_t operations_ = 0;
  size_t broken_ = 0;
  size_t given_up_ = 0;  // so much was unknown of a key that the search took too long
};

// Whether one answer that is altered shows.
template <typename Operations>
void ExpectThatAlteredAnswersShow(const Operations& operations) {
  size_t altered = 0;
  size_t shown = 0;
  for (size_t i = operations.size() / 2; i < operations.size() && altered < 20; ++i) {
    Operations other = operations;
    if (!other[i].output) continue;
    if constexpr (std::is_same_v<std::decay_t<decltype(*other[i].output)>, int64_t>) {
      *other[i].output += 1;
    } else {
      other[i].output->revision += 1;
    }
    ++altered;
    shown += IsLinearizable(other) ? 0 : 1;
  }
  EXPECT_GT(altered, 0u);
  EXPECT_GE(shown, altered / 2) << "of " << altered;
}

template <typename Workload>
void PlayAll(int threads) {
  Stage<Workload> stage(threads);
  stage.Start();
  const uint64_t histories = kHistories * pure::testing::Effort();
  for (uint64_t i = 0; i < histories && !::testing::Test::HasFailure(); ++i) {
    stage.Play(i + 1'000'000 * pure::testing::FirstSeed(), i % kKilledOneIn == 0);
  }
  EXPECT_EQ(stage.broken(), 0u) << "keys whose history is not linearizable";
  EXPECT_LE(stage.given_up(), 2 + histories * kKeys / 50) << "keys that say nothing";
  EXPECT_GT(stage.unknown(), 0u) << "nobody was waiting when it was killed";
  ExpectThatAlteredAnswersShow(stage.OfKey(0));
  stage.Stop();
  std::printf(
      "%llu histories, %zu operations, %zu of unknown outcome: %zu not linearizable, %zu given "
      "up\n",
      static_cast<unsigned long long>(histories), stage.operations(), stage.unknown(),
      stage.broken(), stage.given_up());
}

class HistoriesTest : public ::testing::TestWithParam<int> {};

TEST_P(HistoriesTest, OfDocuments) { PlayAll<DocumentWorkload>(GetParam()); }
TEST_P(HistoriesTest, OfAnApp) { PlayAll<CellWorkload>(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Threads, HistoriesTest, ::testing::Values(1, 2, 4, 8));

}  // namespace
}  // namespace pure::histories
