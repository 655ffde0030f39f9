#include "store/upkeep.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace pure::store {
namespace {

constexpr Compactor::Goal kGoal;
// A save shares its sync with commits, so that it may not take long. What is merged stays for long,
// and of large values there is much.
constexpr uint64_t kMoveBytes = 256u << 10;
constexpr uint64_t kMergeBytes = 4u << 20;
// What Compact leaves: segments a tenth longer than what is live in them.
constexpr double kCompactedBytesPerLiveByte = 1.1;

absl::Status StatusOf(Result result, const Log& log) {
  switch (result) {
    case Result::kOk:
      return absl::OkStatus();
    case Result::kFull:
      return absl::ResourceExhaustedError("compaction: no space left on the device");
    case Result::kAllocation:
      return absl::ResourceExhaustedError("compaction: no memory");
    default:
      return log.failure().ok() ? absl::UnavailableError("compaction: a save failed")
                                : log.failure();
  }
}

uint64_t WholeBlocks(uint64_t bytes) { return (bytes / kBlockBytes + 1) * kBlockBytes; }

}  // namespace

Upkeep::Upkeep(Index* index, Log* log, Committer* committer, uint64_t segment_bytes,
               uint64_t checkpoint_after_bytes)
    : index_(*index),
      log_(*log),
      committer_(*committer),
      merger_(index, committer, Mover::BatchBytes(segment_bytes, kMergeBytes)),
      compactor_(index, log, committer, Mover::BatchBytes(segment_bytes, kMoveBytes)),
      checkpointer_(index, log, checkpoint_after_bytes) {
  committer->OnLongList(Merger::kLongList, [this](Bytes key) { merger_.Note(key); });
}

bool Upkeep::HasWork() const {
  absl::MutexLock lock(&mutex_);
  return log_.WantsSpare() || merger_.HasWork() || compactor_.HasWork(kGoal) ||
         checkpointer_.HasWork();
}

// Compaction comes before the next segment as long as there is time, so that there are seldom two
// segments more than are needed. Merging comes last: it may have much to do, and only makes reads
// of few values cheaper.
bool Upkeep::Step() {
  {
    absl::MutexLock lock(&mutex_);
    if (log_.WantsSpareUrgently()) {
      log_.MakeSpare();
    } else if (compactor_.HasWork(kGoal)) {
      (void)compactor_.Step(kGoal);
    } else if (log_.WantsSpare()) {
      log_.MakeSpare();
    } else if (checkpointer_.HasWork()) {
      checkpointer_.Step();
    } else if (merger_.HasWork()) {
      (void)merger_.Step();
    }
  }
  return HasWork();
}

void Upkeep::Settle() {
  absl::MutexLock lock(&mutex_);
  committer_.SealTail();
  merger_.Settle();
  committer_.BetweenSaves([this] { index_.DropUnseen(); });
}

absl::Status Upkeep::Compact(absl::FunctionRef<void(uint64_t done, uint64_t all)> progress) {
  absl::MutexLock lock(&mutex_);
  const Log::Totals before = log_.totals();
  const uint64_t live_bytes = index_.totals().live_bytes;
  const uint64_t waste = before.store_bytes - std::min(before.store_bytes, live_bytes);
  // The last segment wastes space as well; what is live in it moves to one of the right length.
  Result result = Result::kOk;
  if (static_cast<double>(before.store_bytes) >
      kCompactedBytesPerLiveByte * static_cast<double>(live_bytes)) {
    committer_.BetweenSaves([&] { result = log_.Roll(WholeBlocks(live_bytes / 32 * 33)); });
  }
  const Compactor::Goal goal{.bytes_per_live_byte = kCompactedBytesPerLiveByte,
                             .before = log_.next_segment() - 1,  // the new last one
                             .thrifty = false};
  while (result == Result::kOk && compactor_.HasWork(goal)) {
    result = compactor_.Step(goal);
    const uint64_t now = log_.totals().store_bytes;
    progress(before.store_bytes - std::min(now, before.store_bytes), waste);
  }
  if (result != Result::kOk) return StatusOf(result, log_);
  const size_t stuck = compactor_.CountStuckKeys();
  if (stuck == 0) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("the store is damaged: ", stuck,
                                          " values could not be moved; verify names them"));
}

}  // namespace pure::store
