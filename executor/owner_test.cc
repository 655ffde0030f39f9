#include "executor/owner.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/synchronization/mutex.h"
#include "executor/testing/scripted_handle.h"
#include "gtest/gtest.h"
#include "modules/module.h"
#include "modules/states.h"
#include "store/memory_store.h"
#include "tests/testing/simulated_clock.h"

namespace pure::executor {
namespace {

constexpr Bytes kModule = R"(module tested 1
state hits: int = 0
input hit { hits += 1; reply hits }
view total as json { reply hits }
)";
constexpr size_t kShards = 3;
constexpr size_t kJobsMax = 16;

// What a thread that parks for ever does until it is woken; it never waits for a time.
class BlockingParker final : public Parker {
 public:
  void Park(int64_t until_ns) override {
    absl::MutexLock lock(&mutex_);
    ++parks;
    last_until_ns = until_ns;
    if (until_ns == std::numeric_limits<int64_t>::max()) mutex_.Await(absl::Condition(&unparked_));
    unparked_ = false;
  }
  void Unpark() override {
    absl::MutexLock lock(&mutex_);
    unparked_ = true;
    ++unparks;
  }

  std::atomic<int> parks{0};
  std::atomic<int> unparks{0};
  std::atomic<int64_t> last_until_ns{0};

 private:
  absl::Mutex mutex_;
  bool unparked_ ABSL_GUARDED_BY(mutex_) = false;
};

class CountingShard final : public Waker {
 public:
  void Wake() override { ++wakes; }
  std::atomic<int> wakes{0};
};

class OwnerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::vector<modules::Error> errors;
    module_ = modules::Module::Load(kModule, &errors);
    ASSERT_NE(module_, nullptr);
    ASSERT_EQ(modules::States::Open(*module_, kModule, &store_, &states_), absl::OkStatus());
    Owner::Parts parts;
    parts.executor = {
        .module = module_.get(), .store = &scripted_, .states = states_.get(), .clock = &clock_};
    parts.clock = &clock_;
    parts.parker = &parker_;
    for (CountingShard& shard : shards_) parts.shards.push_back(&shard);
    parts.jobs_max = kJobsMax;
    owner_ = std::make_unique<Owner>(parts);
  }
  void TearDown() override { Stop(); }

  void Start() {
    thread_ = std::thread([this] { owner_->Run(); });
  }
  void Stop() {
    if (!thread_.joinable()) return;
    owner_->Stop();
    thread_.join();
  }
  Job Ask(Bytes name) {
    Job job;
    job.effect.ticket = {++tickets_, 1};
    job.route.is_handler = true;
    job.route.index = module_->handlers()[0].name == name ? 0 : 1;
    return job;
  }
  void Post(size_t shard, const std::vector<Job>& jobs) { owner_->Post(shard, jobs); }
  // What the shard gets back, once it is `count` of it: its slots.
  std::vector<uint32_t> Await(size_t shard, size_t count) {
    std::vector<uint32_t> slots;
    while (slots.size() < count) {
      for (const Applied& applied : owner_->TakeBack(shard)) {
        EXPECT_EQ(applied.result, Result::kOk);
        slots.push_back(applied.ticket.slot);
      }
      std::this_thread::yield();
    }
    return slots;
  }

  pure::testing::SimulatedClock clock_;
  store::MemoryStore store_;
  std::unique_ptr<store::StoreHandle> handle_ = store_.NewHandle();
  ScriptedHandle scripted_{handle_.get()};
  std::unique_ptr<const modules::Module> module_;
  std::unique_ptr<modules::States> states_;
  BlockingParker parker_;
  CountingShard shards_[kShards];
  std::unique_ptr<Owner> owner_;
  std::thread thread_;
  uint32_t tickets_ = 0;
};

TEST_F(OwnerTest, WhatWaitsOfAllShardsIsOneBurst) {
  Post(0, {Ask("hit"), Ask("total")});
  Post(2, {Ask("hit")});
  Post(0, {Ask("hit")});
  Start();
  EXPECT_EQ(Await(0, 3), (std::vector<uint32_t>{1, 2, 4}));
  EXPECT_EQ(Await(2, 1), std::vector<uint32_t>{3});
  Stop();
  EXPECT_EQ(scripted_.commits, 1);
  EXPECT_EQ(owner_->counters().bursts, 1u);
  EXPECT_EQ(owner_->counters().burst_events, 4u);
}

TEST_F(OwnerTest, WhatWasHandedOverIsAppliedBeforeItStops) {
  Post(1, std::vector<Job>(kJobsMax, Ask("hit")));
  owner_->Stop();
  owner_->Run();
  EXPECT_EQ(Await(1, kJobsMax).size(), kJobsMax);
}

TEST_F(OwnerTest, OnlyAShardThatSleepsIsWoken) {
  EXPECT_TRUE(owner_->MaySleep(0));
  Post(0, {Ask("hit")});
  Post(1, {Ask("hit")});
  owner_->Stop();
  owner_->Run();
  EXPECT_EQ(shards_[0].wakes, 1);
  EXPECT_EQ(shards_[1].wakes, 0);
  EXPECT_FALSE(owner_->MaySleep(1)) << "there is something for it";
  EXPECT_EQ(Await(1, 1).size(), 1u);
  EXPECT_TRUE(owner_->MaySleep(1));
  EXPECT_EQ(shards_[2].wakes, 0);
}

// A save that takes 5 ms: the answers' requests are waited for, but not while stopping.
TEST_F(OwnerTest, ItGathersWhatItsAnswersBringBack) {
  scripted_.before_commit = [this] { clock_.AdvanceNs(5'000'000); };
  Start();
  Post(0, {Ask("hit"), Ask("hit")});
  (void)Await(0, 2);
  while (parker_.parks < 1 || parker_.last_until_ns != std::numeric_limits<int64_t>::max()) {
    std::this_thread::yield();
  }
  Post(0, {Ask("hit")});
  while (parker_.last_until_ns == std::numeric_limits<int64_t>::max()) std::this_thread::yield();
  EXPECT_EQ(owner_->counters().burst_events, 2u) << "it waits for the second one";
  const int unparks = parker_.unparks;
  Post(1, {Ask("hit")});
  EXPECT_GT(parker_.unparks, unparks) << "as many as were answered end the wait";
  (void)Await(0, 1);
  (void)Await(1, 1);
  EXPECT_EQ(scripted_.commits, 2);
  owner_->StopGathering();
  Post(2, {Ask("hit")});
  (void)Await(2, 1);
  Stop();
  EXPECT_EQ(scripted_.commits, 3);
}

// Each event once, each answer to its shard, in the order of each shard.
TEST_F(OwnerTest, ShardsPostAndTakeBackAtOnce) {
  Start();
  constexpr int kTurns = 300;
  std::vector<std::thread> threads;
  std::vector<std::vector<int>> numbers(kShards);
  for (size_t shard = 0; shard < kShards; ++shard) {
    threads.emplace_back([&, shard] {
      for (int turn = 0; turn < kTurns; ++turn) {
        std::vector<Job> jobs(1 + static_cast<size_t>(turn) % kJobsMax);
        for (Job& job : jobs) {
          job.effect.ticket = {static_cast<uint32_t>(turn), 1};
          job.route = {.is_handler = true, .index = 0};
        }
        owner_->Post(shard, jobs);
        for (size_t back = 0; back < jobs.size();) {
          for (const Applied& applied : owner_->TakeBack(shard)) {
            EXPECT_EQ(applied.ticket.slot, static_cast<uint32_t>(turn));
            std::string text;
            for (const Bytes span : applied.body.spans()) text.append(span);
            EXPECT_TRUE(absl::SimpleAtoi(text, &numbers[shard].emplace_back()));
            ++back;
          }
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  Stop();
  std::vector<int> all;
  for (const std::vector<int>& each : numbers) {
    EXPECT_TRUE(std::is_sorted(each.begin(), each.end()));
    all.insert(all.end(), each.begin(), each.end());
  }
  std::sort(all.begin(), all.end());
  for (size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], static_cast<int>(i) + 1);
  EXPECT_EQ(owner_->counters().burst_events, all.size());
}

}  // namespace
}  // namespace pure::executor
