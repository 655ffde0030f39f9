#pragma once

// Compactor: gives back the space of replaced and erased values. It takes the sealed segment that
// wastes most, moves what the newest versions need of it to the end of the log (mover.h), and
// removes the segment once nobody reads it any more.
//
// It works in bounded steps of about batch_bytes; in between commits go on. A stop anywhere
// loses nothing: what moved is an ordinary save, and the segment stays until all did.
//
// Thread: one at a time. Lifetime: borrows all; destroyed before them.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/base/attributes.h"
#include "runtime/result.h"
#include "store/committer.h"
#include "store/index.h"
#include "store/log.h"
#include "store/mover.h"

namespace pure::store {

class Compactor {
 public:
  struct Goal {
    // How much longer than what is live in them the sealed segments may be together.
    double bytes_per_live_byte = 2;
    // Only segments with a lower id are compacted.
    uint64_t before = std::numeric_limits<uint64_t>::max();
    // Whether to stop when twice as much was moved as was saved by others: what moves takes room as
    // well, and where little is live that could go on for ever.
    bool thrifty = true;
  };

  Compactor(Index* index ABSL_ATTRIBUTE_LIFETIME_BOUND, Log* log ABSL_ATTRIBUTE_LIFETIME_BOUND,
            Committer* committer ABSL_ATTRIBUTE_LIFETIME_BOUND, size_t batch_bytes)
      : index_(*index), log_(*log), committer_(*committer), mover_(index, committer, batch_bytes) {}

  // Whether Step has something to do now.
  bool HasWork(const Goal& goal) const;
  // One step. Not kOk: the save failed; there is nothing to do until the next save of somebody
  // else.
  Result Step(const Goal& goal);

  uint64_t moved_bytes() const { return mover_.moved_bytes(); }
  // How many keys have a value that could not be moved, because it is damaged. They and their
  // segments stay. Cost: a look at every key, where a segment stays.
  size_t CountStuckKeys() const;

 private:
  Segment* NextVictim(const Goal& goal) const;
  void Begin(Segment* victim);
  Result MoveSome();
  void RemoveFree();

  Index& index_;
  Log& log_;
  Committer& committer_;
  Mover mover_;
  Segment* victim_ = nullptr;
  size_t shard_ = 0;               // of the index, whose keys are looked for next
  std::vector<std::string> keys_;  // that are to move, of the shards before
  std::vector<Segment*> left_;     // that nothing new needs; removed once nobody reads them
  uint64_t given_up_at_ = 0;       // the log's seq at that time; 0: no
};

}  // namespace pure::store
