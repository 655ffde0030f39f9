#include "bench/store/soak.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bench/store/busy_times.h"
#include "bench/store/periodic.h"
#include "bench/store/pieces.h"
#include "bench/store/real_store.h"
#include "platforms/linux/clock.h"
#include "runtime/bytes.h"
#include "runtime/result.h"
#include "tests/testing/seeded_entropy.h"

namespace pure::bench {
namespace {

constexpr int64_t kDirectoryPeriodMs = 20;
constexpr int64_t kCompactionPeriodMs = 1;
constexpr int64_t kCompactionMarginNs = 2'000'000;

// One thread's writes: each of its keys once, then any of them.
class Writer final {
 public:
  // Keys number, number + step and so on.
  Writer(const SoakOptions& options, uint32_t number, uint32_t step, uint64_t writes,
         store::ExtentStore* store)
      : options_(options),
        writes_(writes),
        entropy_(options.seed + number),
        handle_(store->NewHandle()) {
    for (uint32_t key = number; key < options.keys; key += step) keys_.push_back({key, 0});
  }

  void Run() {
    LinuxClock clock;
    const int64_t end_ns = clock.MonotonicNs() + static_cast<int64_t>(options_.seconds * 1e9);
    for (uint64_t i = 0; i < writes_ && clock.MonotonicNs() < end_ns && status_.ok(); ++i) {
      Write(&keys_[i < keys_.size() ? i : entropy_.Below(keys_.size())], &clock);
    }
  }

  const absl::Status& status() const { return status_; }
  uint64_t writes() const { return commits_.size(); }
  void TellRevisions(absl::Span<uint64_t> revisions) const {
    for (const Key& key : keys_) revisions[key.number] = key.revision;
  }
  void TellLatencies(const BusyTimes& compaction, SoakReport* report) const {
    for (const Times& commit : commits_) {
      const bool beside = compaction.Touch(commit.begin_ns, commit.end_ns, kCompactionMarginNs);
      Histogram& histogram = beside ? report->compacting_ns : report->quiet_ns;
      histogram.Record(static_cast<uint64_t>(commit.end_ns - commit.begin_ns));
    }
  }

 private:
  struct Key {
    uint32_t number;
    uint64_t revision;
  };
  struct Times {
    int64_t begin_ns;
    int64_t end_ns;
  };

  void Write(Key* key, LinuxClock* clock) {
    const std::string name = SoakKey(key->number);
    const std::string value = SoakValue(options_, key->number, key->revision + 1);
    const Bytes piece = value;
    const int64_t begin_ns = clock->MonotonicNs();
    Result result = handle_->Stage(name, key->revision, absl::MakeConstSpan(&piece, 1));
    if (result == Result::kOk) result = handle_->Commit();
    if (result == Result::kOk) result = handle_->staged()[0].result;
    const int64_t end_ns = clock->MonotonicNs();
    if (result != Result::kOk) {
      status_ = absl::UnavailableError(absl::StrCat("write ", commits_.size() + 1, " of a writer (",
                                                    name, "): ", ResultName(result)));
      return;
    }
    ++key->revision;
    commits_.push_back({begin_ns, end_ns});
  }

  const SoakOptions& options_;
  const uint64_t writes_;
  testing::SeededEntropy entropy_;
  const std::unique_ptr<store::StoreHandle> handle_;
  std::vector<Key> keys_;
  std::deque<Times> commits_;  // grows without a copy, which a latency would show
  absl::Status status_;
};

absl::Status CheckOptions(const SoakOptions& options) {
  if (options.directory.empty()) return absl::InvalidArgumentError("directory: name one");
  if (options.writers == 0 || options.keys < options.writers) {
    return absl::InvalidArgumentError("writers: at least 1, and a key for each");
  }
  if (options.writes < options.keys) return absl::InvalidArgumentError("writes: one a key or more");
  if (!(options.seconds > 0)) return absl::InvalidArgumentError("seconds: more than 0");
  return absl::OkStatus();
}

store::ExtentStoreOptions StoreOptions(const SoakOptions& options) {
  store::ExtentStoreOptions store;
  store.segment_bytes = options.segment_bytes;
  store.first_segment_bytes = std::min(store.first_segment_bytes, options.segment_bytes);
  return store;
}

// Lets the writers write, with both watches beside them.
absl::Status WriteAll(const SoakOptions& options, store::ExtentStore* store,
                      std::vector<uint64_t>* revisions, SoakReport* report) {
  LinuxClock clock;
  std::deque<Writer> writers;
  for (uint32_t i = 0; i < options.writers; ++i) {
    const uint64_t rest = i < options.writes % options.writers ? 1 : 0;
    writers.emplace_back(options, i, options.writers, options.writes / options.writers + rest,
                         store);
  }
  DirectoryMeter directory(options.directory);
  BusyTimes compaction;
  const int64_t begin_ns = clock.MonotonicNs();
  {
    Periodic size(kDirectoryPeriodMs, [&] { directory.Sample(); });
    Periodic moves(kCompactionPeriodMs,
                   [&] { compaction.Sample(clock.MonotonicNs(), store->counters().moved_bytes); });
    std::vector<std::thread> threads;
    for (Writer& writer : writers) threads.emplace_back([&writer] { writer.Run(); });
    for (std::thread& thread : threads) thread.join();
  }
  report->seconds = static_cast<double>(clock.MonotonicNs() - begin_ns) / 1e9;
  report->counters = store->counters();
  absl::Status status;
  revisions->resize(options.keys);
  for (const Writer& writer : writers) {
    status.Update(writer.status());
    report->writes += writer.writes();
    writer.TellRevisions(absl::MakeSpan(*revisions));
    writer.TellLatencies(compaction, report);
  }
  const absl::StatusOr<DirectoryUse> use = directory.use();
  status.Update(use.status());
  if (use.ok()) report->use = *use;
  return status;
}

// Every byte of the store, then every value.
absl::Status CheckAll(const SoakOptions& options, absl::Span<const uint64_t> revisions,
                      store::ExtentStore* store) {
  store::VerifyReport verified;
  const absl::Status status = store->Verify(&verified);
  if (!status.ok()) return status;
  if (!verified.damages.empty()) {
    const store::Damage& first = verified.damages[0];
    return absl::DataLossError(absl::StrCat(verified.damages.size(), " damages; segment ",
                                            first.segment, ", offset ", first.offset, ": ",
                                            first.what));
  }
  return CheckSoak(options, revisions, store);
}

}  // namespace

std::string SoakKey(uint32_t number) { return absl::StrCat("soak-", number); }

std::string SoakValue(const SoakOptions& options, uint32_t number, uint64_t revision) {
  // Odd factors, so that neighbours have seeds that are far apart.
  const uint64_t seed =
      options.seed + number * 0x9FB21C651E98DF25u + revision * 0xD6E8FEB86659FD93u;
  return SeededBytes(seed, options.value_bytes);
}

absl::Status CheckSoak(const SoakOptions& options, absl::Span<const uint64_t> revisions,
                       store::ExtentStore* store) {
  const std::unique_ptr<store::StoreHandle> handle = store->NewHandle();
  handle->TakeLook();
  for (uint32_t number = 0; number < revisions.size(); ++number) {
    const std::string key = SoakKey(number);
    store::Found found;
    const Result result = handle->Find(key, &found);
    if (result != Result::kOk) {
      return absl::DataLossError(absl::StrCat(key, ": ", ResultName(result)));
    }
    if (found.revision != revisions[number]) {
      return absl::DataLossError(
          absl::StrCat(key, ": revision ", found.revision, " instead of ", revisions[number]));
    }
    if (found.revision == 0) continue;  // the time was up before its first write
    const std::string value = SoakValue(options, number, found.revision);
    const Bytes expected = value;
    if (!SameBytes(found.value.spans(), absl::MakeConstSpan(&expected, 1))) {
      return absl::DataLossError(absl::StrCat(key, ": other bytes than were written"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<SoakReport> Soak(const SoakOptions& options) {
  absl::Status status = CheckOptions(options);
  if (!status.ok()) return status;
  absl::StatusOr<std::unique_ptr<RealStore>> real =
      RealStore::Make(options.directory, StoreOptions(options));
  if (!real.ok()) return real.status();
  SoakReport report;
  std::vector<uint64_t> revisions;
  status = WriteAll(options, (*real)->store(), &revisions, &report);
  if (!status.ok()) return status;
  report.bound_bytes = options.bound_bytes != 0
                           ? options.bound_bytes
                           : 3 * report.counters.live_bytes + 2 * options.segment_bytes;
  report.checks = CheckSoak(options, revisions, (*real)->store());
  status = (*real)->Close();
  if (!status.ok()) return status;
  real->reset();
  real = RealStore::Open(options.directory, StoreOptions(options));
  if (!real.ok()) return real.status();
  report.checks.Update(CheckAll(options, revisions, (*real)->store()));
  status = (*real)->Close();
  if (!status.ok()) return status;
  return report;
}

}  // namespace pure::bench
