#pragma once

// Gather: how long an owner waits, after a round that saved, for the requests that its answers
// bring back, so that they share the next save with those that came during this one. It follows
// clients and disk: it ends when as many have come as were answered, or when none has come for a
// while, and it is never longer than a small part of a save. Nothing waits when no answer is
// outstanding; and where clients do not come back, it is tried ever more seldom.
//
// Pure arithmetic over the times that it is given (ns, monotonic). Thread: the owner's.

#include <cstddef>
#include <cstdint>

namespace pure::executor {

class Gather {
 public:
  // A round begins with all that waited.
  void Begin();

  // A burst of the round was answered; its save took so long, or 0: it had none, or a failed one.
  // `waiting`: the requests that are there already, and so none that these answers bring.
  void Answered(int64_t now_ns, size_t answers, int64_t save_ns, size_t waiting);

  // `waiting`: requests that are there now. The time to wait until at most for more; at or before
  // `now_ns`: do not wait.
  int64_t WaitUntil(int64_t now_ns, size_t waiting);
  // How many requests end that wait at once.
  size_t wanted() const { return before_ + answers_; }

 private:
  static constexpr int64_t kQuietNs = 250'000;  // none has come for so long: no more come
  static constexpr int64_t kLongestNs = 1'000'000;
  static constexpr int64_t kShortestNs = 20'000;  // less is not worth going to sleep for
  static constexpr int64_t kPartOfSave = 10;
  static constexpr int64_t kSmoothing = 8;
  static constexpr uint32_t kMissesMax = 6;

  // The wait is over, with so many requests.
  void End(size_t waiting);

  int64_t save_ns_ = 0;   // smoothed
  int64_t until_ns_ = 0;  // of this wait; 0: there is none
  size_t answers_ = 0;    // of the round
  size_t before_ = 0;     // waiting, when the first of them went out
  size_t seen_ = 0;       // waiting, when it was looked last
  int64_t seen_ns_ = 0;   // when that changed last
  uint32_t misses_ = 0;   // waits in a row that brought less than a quarter back
  uint32_t skips_ = 0;    // rounds that are not waited after, because of them
};

}  // namespace pure::executor
