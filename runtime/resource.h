#pragma once

// Resource: bytes that somebody lends, with the call that returns them. Move-only; it returns
// itself exactly once, at Reset() or destruction.
//
// Lifetime: the spans are valid until the resource is returned. Holding one keeps the lender's
// memory (a mapped segment, a rendering) alive. No allocation: a list of one span is held inline, a
// longer one lives with the lender.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/base/attributes.h"
#include "absl/types/span.h"
#include "runtime/bytes.h"

namespace pure {

class Resource {
 public:
  // Called once with what the lender gave. Thread: whichever drops the resource.
  using Return = void (*)(void* lender, void* token);

  Resource() = default;
  // One span. `returned` may be null: nothing to return (static bytes).
  Resource(Bytes span, Return returned, void* lender, void* token)
      : single_(span), size_(span.size()), return_(returned), lender_(lender), token_(token) {}
  // Several spans; the array itself must live until the return.
  Resource(absl::Span<const Bytes> spans, Return returned, void* lender, void* token)
      : many_(spans), return_(returned), lender_(lender), token_(token) {
    for (Bytes span : spans) size_ += span.size();
  }
  Resource(Resource&& other) noexcept { *this = std::move(other); }
  Resource& operator=(Resource&& other) noexcept {
    if (this == &other) return *this;
    Reset();
    single_ = std::exchange(other.single_, {});
    many_ = std::exchange(other.many_, {});
    size_ = std::exchange(other.size_, 0);
    return_ = std::exchange(other.return_, nullptr);
    lender_ = other.lender_;
    token_ = other.token_;
    return *this;
  }
  ~Resource() { Reset(); }

  absl::Span<const Bytes> spans() const ABSL_ATTRIBUTE_LIFETIME_BOUND {
    return many_.empty() ? absl::Span<const Bytes>(&single_, size_ == 0 ? 0 : 1) : many_;
  }
  size_t size_bytes() const { return size_; }

  // Returns the bytes now; the resource is empty afterwards.
  void Reset() {
    if (Return call = std::exchange(return_, nullptr)) call(lender_, token_);
    single_ = {};
    many_ = {};
    size_ = 0;
  }

 private:
  Bytes single_;
  absl::Span<const Bytes> many_;
  size_t size_ = 0;
  Return return_ = nullptr;
  void* lender_ = nullptr;
  void* token_ = nullptr;
};

}  // namespace pure
