#pragma once

// Transfer: an answer on its way out: head bytes, then body spans. Partial sends of any size
// advance it; when the last byte is consumed, or at Abort, it ends and releases its owner exactly
// once.
//
// Thread: one thread's. Lifetime: borrows the head and the body spans (and the array that holds
// them) until it ends. Cost: no allocation.

#include <cstddef>

#include "absl/types/span.h"
#include "runtime/bytes.h"

namespace pure {

class Transfer {
 public:
  // Called once when the transfer ends; may start the next transfer in the same object.
  using Ended = void (*)(void* owner);

  Transfer() = default;
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;
  ~Transfer() { Abort(); }

  // REQUIRES: not active. An empty transfer ends at once.
  void Start(Bytes head, absl::Span<const Bytes> body, Ended ended, void* owner);

  bool active() const { return active_; }
  size_t remaining_bytes() const { return remaining_bytes_; }

  // Writes the next unsent spans, at most spans.size() of them, to `spans`; returns how many. Empty
  // spans are left out.
  size_t Next(absl::Span<Bytes> spans) const;

  // `bytes` more were sent. REQUIRES: active, bytes <= remaining_bytes().
  void Consume(size_t bytes);

  // Ends it before its last byte. Harmless when not active.
  void Abort();

 private:
  void End();

  Bytes head_;
  absl::Span<const Bytes> body_;
  size_t body_index_ = 0;   // the body span that is being sent
  size_t body_offset_ = 0;  // bytes of it that were sent
  size_t remaining_bytes_ = 0;
  Ended ended_ = nullptr;
  void* owner_ = nullptr;
  bool active_ = false;
};

}  // namespace pure
