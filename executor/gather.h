#pragma once

// Gather: how long an owner waits, after a burst that saved, for the requests that its answers
// bring back, so that they share the next save. It follows clients and disk: it ends when as many
// are back as were answered, or when none has come for a while, and it is never longer than a small
// part of a save. Nothing waits when no answer is outstanding.
//
// Pure arithmetic over the times that it is given (ns, monotonic). Thread: the owner's.

#include <cstddef>
#include <cstdint>

namespace pure::executor {

class Gather {
 public:
  // After a burst: so many answers went out, and its save took so long; 0: it saved nothing.
  void Answered(int64_t now_ns, size_t answers, int64_t save_ns);

  // `waiting`: requests that are there now. The time to wait until at most for more; at or before
  // `now_ns`: do not wait.
  int64_t WaitUntil(int64_t now_ns, size_t waiting);

 private:
  static constexpr int64_t kQuietNs = 100'000;  // none has come for so long: no more come
  static constexpr int64_t kLongestNs = 1'000'000;
  static constexpr int64_t kShortestNs = 20'000;  // less is not worth going to sleep for
  static constexpr int64_t kPartOfSave = 10;
  static constexpr int64_t kSmoothing = 8;

  int64_t save_ns_ = 0;   // smoothed
  int64_t until_ns_ = 0;  // of this wait; 0: there is none
  size_t answers_ = 0;    // outstanding
  size_t seen_ = 0;       // waiting, when it was looked last
  int64_t seen_ns_ = 0;   // when that changed last
};

}  // namespace pure::executor
