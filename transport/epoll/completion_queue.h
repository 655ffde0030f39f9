#pragma once

// CompletionQueue: completions that are done and were not handed out yet, in order.
//
// Thread: its transport's. Cost: allocates at construction only.

#include <cstddef>
#include <memory>

#include "runtime/check.h"
#include "transport/transport.h"

namespace pure::transport {

class CompletionQueue {
 public:
  // At most `capacity` are in it at once.
  explicit CompletionQueue(size_t capacity)
      : capacity_(capacity), ring_(std::make_unique<Completion[]>(capacity)) {}

  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }

  // REQUIRES: size() is less than the capacity.
  void Push(const Completion& completion) {
    PURE_CHECK(size_ < capacity_, "more completions than operations");
    size_t end = begin_ + size_;
    if (end >= capacity_) end -= capacity_;
    ring_[end] = completion;
    ++size_;
  }

  // The oldest one. REQUIRES: not empty.
  Completion Pop() {
    PURE_CHECK(size_ > 0, "a completion from an empty queue");
    const Completion& completion = ring_[begin_];
    if (++begin_ == capacity_) begin_ = 0;
    --size_;
    return completion;
  }

 private:
  const size_t capacity_;
  const std::unique_ptr<Completion[]> ring_;
  size_t begin_ = 0;
  size_t size_ = 0;
};

}  // namespace pure::transport
