#include "store/extent_store.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "runtime/check.h"
#include "store/committer.h"
#include "store/extent_handle.h"
#include "store/index.h"
#include "store/log.h"
#include "store/upkeep.h"
#include "store/verify.h"

namespace pure::store {
namespace {

constexpr size_t kSaveBytesLimit = 1u << 30;

absl::Status CheckOptions(const ExtentStoreOptions& options) {
  if (options.save_bytes_max == 0 || options.save_bytes_max > kSaveBytesLimit) {
    return absl::InvalidArgumentError("save_bytes_max is 1 byte to 1 GiB");
  }
  for (uint64_t bytes : {options.segment_bytes, options.first_segment_bytes}) {
    if (bytes < 2 * kBlockBytes || bytes % kBlockBytes != 0) {
      return absl::InvalidArgumentError("a segment is a multiple of 4096 bytes, 8192 at least");
    }
  }
  if (options.entropy == nullptr && !options.read_only) {
    return absl::InvalidArgumentError("a store that is written needs entropy");
  }
  return absl::OkStatus();
}

LogOptions LogOptionsOf(const ExtentStoreOptions& options) {
  return {.segment_bytes = options.segment_bytes,
          .first_segment_bytes = std::min(options.first_segment_bytes, options.segment_bytes),
          .lock_wait_ms = options.lock_wait_ms,
          .read_only = options.read_only,
          .entropy = options.entropy,
          .progress = options.open_progress,
          .on_failed_sync = options.on_failed_sync};
}

}  // namespace

class ExtentStore::Core {
 public:
  Core(std::unique_ptr<Directory> directory, const ExtentStoreOptions& store_options)
      : options(store_options),
        log(std::move(directory), LogOptionsOf(store_options)),
        committer(&index, &log, store_options.save_bytes_max),
        upkeep(&index, &log, &committer, store_options.segment_bytes,
               store_options.checkpoint_after_bytes) {}

  // After a save: the thread in the background may have to make room for the next ones.
  void WakeBackground() ABSL_LOCKS_EXCLUDED(background_mutex) {
    const bool was_quiet = quiet.load(std::memory_order_relaxed);
    if (!was_quiet && !log.WantsSpare() && !log.rolled()) return;
    absl::MutexLock lock(&background_mutex);
    background_woken.Signal();
  }

  const ExtentStoreOptions options;
  Index index;
  Log log;
  Committer committer;
  Upkeep upkeep;
  absl::Mutex background_mutex;
  absl::CondVar background_woken;
  bool background_stopped ABSL_GUARDED_BY(background_mutex) = false;
  std::atomic<bool> quiet{false};  // the background waits for the next save
};

ExtentStore::ExtentStore(std::unique_ptr<Core> core) : core_(std::move(core)) {}

ExtentStore::~ExtentStore() = default;

absl::StatusOr<std::unique_ptr<ExtentStore>> ExtentStore::Open(std::unique_ptr<Directory> directory,
                                                               const ExtentStoreOptions& options) {
  absl::Status status = CheckOptions(options);
  if (!status.ok()) return status;
  auto core = std::make_unique<Core>(std::move(directory), options);
  status = core->log.Open(&core->index);
  if (!status.ok()) return status;
  core->index.SetPublished(core->log.last_seq());
  return std::unique_ptr<ExtentStore>(new ExtentStore(std::move(core)));
}

std::unique_ptr<StoreHandle> ExtentStore::NewHandle() {
  return std::unique_ptr<StoreHandle>(new (std::nothrow) ExtentHandle(
      &core_->index, &core_->committer, core_->options.save_bytes_max,
      core_->options.verify == ExtentStoreOptions::Verify::kAlways,
      [core = core_.get()] { core->WakeBackground(); }));
}

Result ExtentStore::List(
    Bytes prefix,
    const std::function<bool(Bytes key, uint64_t revision, size_t size_bytes)>& visit) {
  struct Listed {
    std::string key;
    uint64_t revision;
    size_t size_bytes;
  };
  std::vector<Listed> all;
  LookSlot look;
  core_->index.AddSlot(&look);
  core_->index.TakeLook(&look);
  core_->index.VisitAll(look,
                        [&](Bytes key, const Version& version, absl::Span<const StoredExtent>) {
                          if (key.substr(0, prefix.size()) != prefix) return;
                          all.push_back({std::string(key), version.revision, version.size_bytes});
                        });
  core_->index.RemoveSlot(&look);
  // std::string compares as octets.
  std::sort(all.begin(), all.end(), [](const Listed& a, const Listed& b) { return a.key < b.key; });
  for (const Listed& each : all) {
    if (!visit(each.key, each.revision, each.size_bytes)) break;
  }
  return Result::kOk;
}

StoreState ExtentStore::state() const { return core_->log.state(); }

absl::Status ExtentStore::failure() const { return core_->log.failure(); }

StoreCounters ExtentStore::counters() const {
  const IndexTotals index = core_->index.totals();
  const Log::Totals log = core_->log.totals();
  return {.commit_groups = core_->committer.groups(),
          .grouped_commits = core_->committer.grouped_commits(),
          .keys = index.keys,
          .live_bytes = index.live_bytes,
          .store_bytes = log.store_bytes,
          .dead_bytes = log.dead_bytes,
          .segments = log.segments,
          .index_bytes = index.memory_bytes,
          .written_bytes = log.written_bytes,
          .moved_bytes = core_->upkeep.moved_bytes(),
          .compactions = log.removed_segments};
}

absl::Status ExtentStore::Close() { return core_->log.Close(); }

bool ExtentStore::DoBackgroundWork() { return core_->upkeep.Step(); }

bool ExtentStore::BackgroundIsUrgent() const { return core_->upkeep.IsUrgent(); }

ExtentStore::Awaited ExtentStore::AwaitBackgroundWork(int quiet_ms) {
  uint64_t seq = core_->log.last_seq();
  for (;;) {
    (void)core_->log.TakeRolled();
    if (core_->upkeep.HasWork()) return Awaited::kWork;
    absl::MutexLock lock(&core_->background_mutex);
    if (core_->background_stopped) return Awaited::kStopped;
    if (core_->log.WantsSeal()) core_->quiet.store(false, std::memory_order_relaxed);
    if (core_->quiet.load(std::memory_order_relaxed)) {
      core_->background_woken.Wait(&core_->background_mutex);
    } else {
      core_->background_woken.WaitWithTimeout(&core_->background_mutex,
                                              absl::Milliseconds(quiet_ms));
    }
    if (core_->background_stopped) return Awaited::kStopped;
    const uint64_t now = core_->log.last_seq();
    const bool was_quiet = core_->quiet.exchange(seq == now, std::memory_order_relaxed);
    if (seq == now && !was_quiet) return Awaited::kQuiet;
    seq = now;
  }
}

void ExtentStore::SealTail() { core_->upkeep.Settle(); }

void ExtentStore::RestBackground(int64_t duration_us) {
  absl::MutexLock lock(&core_->background_mutex);
  const auto is_stopped = [](bool* stopped) { return *stopped; };
  core_->background_mutex.AwaitWithTimeout(absl::Condition(+is_stopped, &core_->background_stopped),
                                           absl::Microseconds(duration_us));
}

void ExtentStore::StopBackground() {
  absl::MutexLock lock(&core_->background_mutex);
  core_->background_stopped = true;
  core_->background_woken.SignalAll();
}

absl::Status ExtentStore::Verify(VerifyReport* report,
                                 const std::function<void(uint64_t done, uint64_t all)>& progress) {
  const IndexTotals totals = core_->index.totals();
  report->values = totals.keys;
  report->value_bytes = totals.live_bytes;
  return VerifyLog(core_->log, report, progress);
}

absl::Status ExtentStore::Compact(
    const std::function<void(uint64_t done, uint64_t all)>& progress) {
  return core_->upkeep.Compact([&progress](uint64_t done, uint64_t all) {
    if (progress != nullptr) progress(done, all);
  });
}

uint64_t ExtentStore::repaired_bytes() const { return core_->log.copied_bytes(); }

}  // namespace pure::store
