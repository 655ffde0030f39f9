#include "executor/owner.h"

#include <limits>
#include <utility>

namespace pure::executor {
namespace {

constexpr int64_t kForEver = std::numeric_limits<int64_t>::max();

}  // namespace

Owner::Owner(const Parts& parts)
    : parts_(parts),
      executor_(parts.executor, parts.jobs_max * parts.shards.size()),
      sleeping_(parts.shards.size()),
      outboxes_(parts.shards.size()) {
  parts.executor.states->PublishTo(&published_);
  const size_t all = parts.jobs_max * parts.shards.size();
  round_.reserve(all);
  round_shards_.reserve(all);
  inbox_.reserve(all);
  inbox_shards_.reserve(all);
  for (Outbox& outbox : outboxes_) {
    outbox.filling.reserve(parts.jobs_max);
    outbox.taken.reserve(parts.jobs_max);
  }
}

void Owner::Post(size_t shard, absl::Span<const Job> jobs) {
  bool wakes = false;
  {
    absl::MutexLock lock(&mutex_);
    inbox_.insert(inbox_.end(), jobs.begin(), jobs.end());
    inbox_shards_.insert(inbox_shards_.end(), jobs.size(), static_cast<uint32_t>(shard));
    wakes = wakes_at_ != 0 && inbox_.size() >= wakes_at_;
    if (wakes) wakes_at_ = 0;
  }
  if (wakes) parts_.parker->Unpark();
}

absl::Span<Applied> Owner::TakeBack(size_t shard) {
  Outbox& outbox = outboxes_[shard];
  outbox.taken.clear();
  absl::MutexLock lock(&mutex_);
  outbox.sleeps = false;
  outbox.taken.swap(outbox.filling);
  return absl::MakeSpan(outbox.taken);
}

bool Owner::MaySleep(size_t shard) {
  absl::MutexLock lock(&mutex_);
  outboxes_[shard].sleeps = outboxes_[shard].filling.empty();
  return outboxes_[shard].sleeps;
}

void Owner::StopGathering() {
  {
    absl::MutexLock lock(&mutex_);
    gathering_ = false;
    wakes_at_ = 0;
  }
  parts_.parker->Unpark();
}

void Owner::Stop() {
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
    wakes_at_ = 0;
  }
  parts_.parker->Unpark();
}

ExecutorCounters Owner::counters() const {
  absl::MutexLock lock(&mutex_);
  return counters_;
}

// Everything that waits, of all shards, in the order in which it came. False: there will be none.
bool Owner::TakeRound() {
  while (true) {
    int64_t until_ns = kForEver;
    {
      absl::MutexLock lock(&mutex_);
      if (inbox_.empty()) {
        if (stopping_) return false;
        wakes_at_ = 1;
      } else {
        const int64_t now_ns = parts_.clock->MonotonicNs();
        if (gathering_ && !stopping_) until_ns = gather_.WaitUntil(now_ns, inbox_.size());
        if (until_ns == kForEver || until_ns <= now_ns) {
          round_.swap(inbox_);
          round_shards_.swap(inbox_shards_);
          return true;
        }
        wakes_at_ = gather_.wanted();
      }
    }
    parts_.parker->Park(until_ns);
  }
}

void Owner::Run() {
  while (TakeRound()) {
    handed_back_ = 0;
    gather_.Begin();
    executor_.Run(round_, [this](absl::Span<Applied> burst) { HandBack(burst); });
    round_.clear();
    round_shards_.clear();
  }
}

void Owner::HandBack(absl::Span<Applied> burst) {
  {
    absl::MutexLock lock(&mutex_);
    for (Applied& applied : burst) {
      const uint32_t shard = round_shards_[handed_back_++];
      outboxes_[shard].filling.push_back(std::move(applied));
      if (std::exchange(outboxes_[shard].sleeps, false)) sleeping_[shard] = true;
    }
    counters_ = executor_.counters();
    gather_.Answered(parts_.clock->MonotonicNs(), burst.size(), executor_.last_save_ns(),
                     inbox_.size());
  }
  for (size_t shard = 0; shard < sleeping_.size(); ++shard) {
    if (sleeping_[shard]) parts_.shards[shard]->Wake();
    sleeping_[shard] = false;
  }
}

}  // namespace pure::executor
