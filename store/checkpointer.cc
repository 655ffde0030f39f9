#include "store/checkpointer.h"

#include <algorithm>

namespace pure::store {

bool Checkpointer::HasWork() const {
  if (log_.state() != StoreState::kOpen) return false;
  if (writer_ != nullptr) return true;
  if (given_up_at_ != 0 && given_up_at_ == log_.last_seq()) return false;
  const uint64_t bytes = log_.UncoveredBytes();
  return bytes > 0 && bytes >= std::max(after_bytes_, 4 * log_.checkpoint_bytes());
}

void Checkpointer::Step() {
  given_up_at_ = 0;
  if (writer_ == nullptr) {
    writer_ = log_.StartCheckpoint(&index_);
    return;
  }
  if (!writer_->done()) {
    const IoFailure failure = writer_->Step();
    if (!failure) return;
    (void)log_.Fail(failure);
    if (!failure.sync) writer_->Abandon();
    writer_.reset();
    given_up_at_ = log_.last_seq();
    return;
  }
  if (!log_.AdoptCheckpoint(*writer_).ok()) {
    if (log_.state() == StoreState::kOpen) writer_->Abandon();
    given_up_at_ = log_.last_seq();
  }
  writer_.reset();
}

}  // namespace pure::store
