#pragma once

// Checkpointer: keeps what the next opening has to read in bounds, by a new checkpoint now and
// then.
//
// Thread: one at a time. Lifetime: borrows all; destroyed before them.

#include <cstdint>
#include <memory>

#include "absl/base/attributes.h"
#include "store/checkpoint_writer.h"
#include "store/index.h"
#include "store/log.h"

namespace pure::store {

class Checkpointer {
 public:
  // A checkpoint is made once this many bytes of sealed frames would have to be walked, and four
  // times what the last one took, so that it is a small part of all that is written.
  Checkpointer(const Index* index ABSL_ATTRIBUTE_LIFETIME_BOUND,
               Log* log ABSL_ATTRIBUTE_LIFETIME_BOUND, uint64_t after_bytes)
      : index_(*index), log_(*log), after_bytes_(after_bytes) {}

  bool HasWork() const;
  // One bounded step. After a failure there is nothing to do until the next save.
  void Step();

 private:
  const Index& index_;
  Log& log_;
  const uint64_t after_bytes_;
  std::unique_ptr<CheckpointWriter> writer_;
  uint64_t given_up_at_ = 0;  // the log's seq at that time; 0: no
};

}  // namespace pure::store
