#include "store/merger.h"

#include <algorithm>
#include <utility>

namespace pure::store {
namespace {

// A list of large extents is no shorter for one join; joining each new extent with the one before
// would write that again each time.
constexpr size_t kLeastJoins = Merger::kLongList / 8;
// What a merged extent is at most: more for a large value, whose list would be too long else.
constexpr uint64_t kMergedBytes = 1u << 20;

uint64_t MergedBytesMax(absl::Span<const StoredExtent> extents, uint64_t batch_bytes) {
  uint64_t value_bytes = 0;
  for (const StoredExtent& extent : extents) value_bytes += extent.length;
  return std::min(batch_bytes, std::max(kMergedBytes, value_bytes / Merger::kLongList));
}

enum class Chosen : uint8_t { kNothing, kSome, kAll };

// Runs of extents that are each small beside `bytes_max`, which is what a run becomes at most and
// all that are chosen together. kNothing: too few extents could be joined.
Chosen ChooseSmallRuns(absl::Span<const StoredExtent> extents, uint64_t bytes_max,
                       absl::Span<Mover::Fate> fates) {
  size_t joins = 0;
  Chosen chosen = Chosen::kAll;
  uint64_t bytes_left = bytes_max;
  for (size_t begin = 0, end = 0; begin < extents.size(); begin = end) {
    uint64_t run_bytes = 0;
    while (end < extents.size() && extents[end].length <= bytes_max / 2 &&
           run_bytes + extents[end].length <= bytes_max) {
      run_bytes += extents[end++].length;
    }
    if (end == begin) ++end;
    if (end - begin < 2) continue;
    joins += end - begin - 1;
    if (run_bytes > bytes_left) {
      chosen = Chosen::kSome;
      continue;
    }
    bytes_left -= run_bytes;
    std::fill(fates.begin() + static_cast<ptrdiff_t>(begin),
              fates.begin() + static_cast<ptrdiff_t>(end), Mover::Fate::kJoins);
    fates[begin] = Mover::Fate::kMoves;
  }
  return joins < kLeastJoins ? Chosen::kNothing : chosen;
}

}  // namespace

void Merger::Note(Bytes key) {
  absl::MutexLock lock(&mutex_);
  const bool puts_off = notes_put_off_ < kNotesPutOff;
  if (puts_off) ++notes_put_off_;
  absl::flat_hash_set<std::string>& keys = puts_off ? put_off_ : noted_;
  if (keys.size() < kNotedMax) keys.emplace(key);
}

void Merger::Settle() {
  absl::MutexLock lock(&mutex_);
  noted_.merge(put_off_);
  put_off_.clear();
}

bool Merger::HasWork() const {
  absl::MutexLock lock(&mutex_);
  return !noted_.empty() || unfinished_.revision != 0;
}

bool Merger::Take(Task* task) {
  absl::MutexLock lock(&mutex_);
  if (unfinished_.revision != 0) {
    *task = std::exchange(unfinished_, {});
    return true;
  }
  if (noted_.empty()) return false;
  task->key = std::move(noted_.extract(noted_.begin()).value());
  return true;
}

Result Merger::Step() {
  Task task;
  if (!Take(&task)) return Result::kOk;
  Chosen chosen = Chosen::kNothing;
  bool whole = true;
  Result result = mover_.Add(
      task.key,
      [&](const Index::StoredVersion& version, absl::Span<Mover::Fate> fates) {
        const bool goes_on = version.revision == task.revision;
        if (!goes_on && (task.revision != 0 || fates.size() < kLongList / 2)) return false;
        task.revision = version.revision;
        chosen =
            ChooseSmallRuns(version.extents, MergedBytesMax(version.extents, batch_bytes_), fates);
        return chosen != Chosen::kNothing;
      },
      &whole);
  if (result != Result::kOk || mover_.empty()) {
    mover_.Discard();
    return result;
  }
  {
    absl::MutexLock lock(&mutex_);
    notes_put_off_ = 0;
  }
  result = mover_.Commit();
  absl::MutexLock lock(&mutex_);
  if (result == Result::kOk && chosen == Chosen::kSome) unfinished_ = std::move(task);
  return result;
}

}  // namespace pure::store
