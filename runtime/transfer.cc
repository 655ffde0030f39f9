#include "runtime/transfer.h"

#include <algorithm>
#include <utility>

#include "runtime/check.h"

namespace pure {

void Transfer::Start(Bytes head, absl::Span<const Bytes> body, Ended ended, void* owner) {
  PURE_CHECK(!active_, "a transfer was started before the last one ended");
  head_ = head;
  body_ = body;
  body_index_ = 0;
  body_offset_ = 0;
  remaining_bytes_ = head.size();
  for (Bytes span : body) remaining_bytes_ += span.size();
  ended_ = ended;
  owner_ = owner;
  active_ = true;
  if (remaining_bytes_ == 0) End();
}

size_t Transfer::Next(absl::Span<Bytes> spans) const {
  size_t count = 0;
  if (!head_.empty() && count < spans.size()) spans[count++] = head_;
  size_t offset = body_offset_;
  for (size_t i = body_index_; i < body_.size() && count < spans.size(); ++i) {
    if (offset < body_[i].size()) spans[count++] = body_[i].substr(offset);
    offset = 0;
  }
  return count;
}

void Transfer::Consume(size_t bytes) {
  PURE_CHECK(active_, "bytes were sent of a transfer that has ended");
  PURE_CHECK(bytes <= remaining_bytes_, "more was sent than the transfer holds");
  remaining_bytes_ -= bytes;
  if (remaining_bytes_ == 0) {
    End();
    return;
  }
  const size_t of_head = std::min(bytes, head_.size());
  head_.remove_prefix(of_head);
  bytes -= of_head;
  while (bytes > 0) {
    const size_t left = body_[body_index_].size() - body_offset_;
    if (bytes < left) {
      body_offset_ += bytes;
      return;
    }
    bytes -= left;
    ++body_index_;
    body_offset_ = 0;
  }
}

void Transfer::Abort() {
  if (active_) End();
}

void Transfer::End() {
  // All state is let go before the call: the owner may start the next transfer in it.
  active_ = false;
  head_ = {};
  body_ = {};
  body_index_ = 0;
  body_offset_ = 0;
  remaining_bytes_ = 0;
  const Ended ended = std::exchange(ended_, nullptr);
  void* const owner = std::exchange(owner_, nullptr);
  if (ended != nullptr) ended(owner);
}

}  // namespace pure
