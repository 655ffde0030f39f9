#include "store/compactor.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "store/planted_bug.h"
#include "store/segment.h"

namespace pure::store {

Segment* Compactor::NextVictim(const Goal& goal) const {
  Segment* const worst = log_.WorstSegment(goal.bytes_per_live_byte, goal.before);
  if (worst == nullptr || !goal.thrifty) return worst;
  const Log::Totals totals = log_.totals();
  // What was there at opening counts as saved once. What moves is among what was written.
  const uint64_t saved = totals.opened_bytes + 2 * totals.written_bytes;
  return saved >= 3 * mover_.frame_bytes() + worst->live_bytes() ? worst : nullptr;
}

bool Compactor::HasWork(const Goal& goal) const {
  if (log_.state() != StoreState::kOpen) return false;
  if (given_up_at_ != 0 && given_up_at_ == log_.last_seq()) return false;
  return victim_ != nullptr || NextVictim(goal) != nullptr ||
         std::any_of(left_.begin(), left_.end(),
                     [](const Segment* segment) { return segment->HeldOnce(); });
}

Result Compactor::Step(const Goal& goal) {
  given_up_at_ = 0;
  RemoveFree();
  if (given_up_at_ != 0) return Result::kStorage;
  if (victim_ == nullptr) {
    if (Segment* const next = NextVictim(goal)) Begin(next);
    return Result::kOk;
  }
  const Result result = MoveSome();
  if (result == Result::kOk) return Result::kOk;
  mover_.Discard();
  committer_.BetweenSaves([this] { victim_->Unretire(); });
  victim_ = nullptr;
  given_up_at_ = log_.last_seq();
  return result;
}

void Compactor::Begin(Segment* victim) {
  // All versions with bytes in the victim are in the index from now on.
  committer_.BetweenSaves([victim] { victim->Retire(); });
  victim_ = victim;
  shard_ = 0;
  keys_.clear();
}

// The keys of one more shard, or, once there are enough, one batch of what they need of the victim.
Result Compactor::MoveSome() {
  if (keys_.size() < Mover::kBatchEntries && shard_ < Index::kShards) {
    index_.VisitUsersOf(victim_, shard_++, [this](Bytes key) { keys_.emplace_back(key); });
    return Result::kOk;
  }
  if (keys_.empty()) {
    // Versions that nobody sees any more refer to it still.
    committer_.BetweenSaves([this] { index_.DropUnseen(); });
    left_.push_back(victim_);
    victim_ = nullptr;
    return Result::kOk;
  }
  if (Planted(Bug::kRemoveUnmoved)) {
    keys_.clear();
    return Result::kOk;
  }
  while (!keys_.empty() && !mover_.full()) {
    bool whole = false;
    const Result result = mover_.Add(
        keys_.back(),
        [this](const Index::StoredVersion& version, absl::Span<Mover::Fate> fates) {
          if (Planted(Bug::kForgetErased) && version.kind == EntryKind::kErase) return false;
          bool wanted = version.home == victim_;
          for (size_t i = 0; i < fates.size(); ++i) {
            if (version.extents[i].segment != victim_) continue;
            fates[i] = Mover::Fate::kMoves;
            wanted = true;
          }
          return wanted;
        },
        &whole);
    if (result != Result::kOk && result != Result::kStorage) return result;
    if (result == Result::kOk && !whole) break;  // goes on in the next batch
    keys_.pop_back();
  }
  return mover_.Commit();
}

size_t Compactor::CountStuckKeys() const {
  absl::flat_hash_set<std::string> keys;
  for (const Segment* segment : left_) {
    for (size_t shard = 0; shard < Index::kShards; ++shard) {
      index_.VisitUsersOf(segment, shard, [&keys](Bytes key) { keys.emplace(key); });
    }
  }
  return keys.size();
}

void Compactor::RemoveFree() {
  for (size_t i = 0; i < left_.size();) {
    const bool held = !Planted(Bug::kRemoveWhileRead) && !Planted(Bug::kRemoveUnmoved);
    if (held && !left_[i]->HeldOnce()) {
      ++i;
    } else if (log_.Remove(left_[i]).ok()) {
      left_.erase(left_.begin() + static_cast<ptrdiff_t>(i));
    } else {
      given_up_at_ = log_.last_seq();
      return;
    }
  }
}

}  // namespace pure::store
