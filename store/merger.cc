#include "store/merger.h"

#include <utility>

namespace pure::store {
namespace {

// A list of large extents is no shorter for one join; joining each new extent with the one before
// would write that again each time.
constexpr size_t kLeastJoins = Merger::kLongList / 8;

// Extents that are small beside `merged_bytes_max`, which is what they become at most.
// False: too few of them lie side by side.
bool ChooseSmallRuns(absl::Span<const StoredExtent> extents, uint64_t merged_bytes_max,
                     absl::Span<Mover::Fate> fates) {
  size_t joins = 0;
  const auto is_small = [&](size_t i) {
    return i < extents.size() && extents[i].length <= merged_bytes_max / 2;
  };
  for (size_t i = 0; i < extents.size(); ++i) {
    if (!is_small(i) || !is_small(i + 1)) continue;
    fates[i] = Mover::Fate::kMoves;
    uint64_t run_bytes = extents[i].length;
    while (is_small(i + 1) && run_bytes + extents[i + 1].length <= merged_bytes_max) {
      run_bytes += extents[++i].length;
      fates[i] = Mover::Fate::kJoins;
      ++joins;
    }
  }
  return joins >= kLeastJoins;
}

}  // namespace

void Merger::Note(Bytes key) {
  absl::MutexLock lock(&mutex_);
  if (notes_left_out_ < kNotesLeftOut) {
    ++notes_left_out_;
  } else if (noted_.size() < kNotedMax) {
    noted_.emplace(key);
  }
}

bool Merger::HasWork() const {
  absl::MutexLock lock(&mutex_);
  return !noted_.empty();
}

Result Merger::Step() {
  std::string key;
  {
    absl::MutexLock lock(&mutex_);
    if (noted_.empty()) return Result::kOk;
    key = std::move(noted_.extract(noted_.begin()).value());
  }
  bool whole = true;
  const Result result = mover_.Add(
      key,
      [this](const Index::StoredVersion& version, absl::Span<Mover::Fate> fates) {
        return fates.size() >= kLongList / 2 &&
               ChooseSmallRuns(version.extents, batch_bytes_, fates);
      },
      &whole);
  if (result != Result::kOk || mover_.empty()) {
    mover_.Discard();
    return result;
  }
  {
    absl::MutexLock lock(&mutex_);
    notes_left_out_ = 0;
  }
  return mover_.Commit();
}

}  // namespace pure::store
