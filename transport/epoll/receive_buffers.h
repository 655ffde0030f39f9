#pragma once

// ReceiveBuffers: the memory that a transport lends with received bytes. One slab of address space,
// whose pages the kernel provides when they are first written; buffers are reused last in, first
// out, so that few pages are ever touched and those are warm.
//
// Thread: its transport's. Lifetime: owns the slab. Cost: allocates at construction only.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "runtime/bytes.h"

namespace pure::transport {

class ReceiveBuffers {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // `count` buffers of `buffer_bytes` each. REQUIRES: both above 0.
  ReceiveBuffers(size_t buffer_bytes, uint32_t count);
  ~ReceiveBuffers();
  ReceiveBuffers(const ReceiveBuffers&) = delete;
  ReceiveBuffers& operator=(const ReceiveBuffers&) = delete;

  // False: the system gave no address space; nothing else may be called.
  bool ok() const { return slab_ != nullptr; }

  // A free buffer, or kNone when all are lent.
  uint32_t Take();
  // REQUIRES: Take returned it and it was not given since.
  void Give(uint32_t buffer);

  MutableBytes At(uint32_t buffer) {
    return MutableBytes(slab_ + buffer * buffer_bytes_, buffer_bytes_);
  }
  uint32_t lent() const { return lent_; }

 private:
  const size_t buffer_bytes_;
  const uint32_t count_;
  char* slab_ = nullptr;
  const std::unique_ptr<uint32_t[]> free_;  // a stack of count_ - lent_ numbers
  uint32_t lent_ = 0;
};

}  // namespace pure::transport
