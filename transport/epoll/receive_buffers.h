#pragma once

// ReceiveBuffers: the memory that a transport lends with received bytes. Allocated when first needed, reused last in,
// first out. Thread: its transport's.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/bytes.h"

namespace pure::transport {

class ReceiveBuffers {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  ReceiveBuffers(size_t buffer_bytes, uint32_t count_max) : buffer_bytes_(buffer_bytes) {
    buffers_.reserve(count_max);
    free_.reserve(count_max);
  }

  // A free buffer, or kNone when all are lent.
  uint32_t Take() {
    if (free_.empty()) {
      if (buffers_.size() == buffers_.capacity()) return kNone;
      free_.push_back(static_cast<uint32_t>(buffers_.size()));
      buffers_.emplace_back(new char[buffer_bytes_]);
    }
    const uint32_t buffer = free_.back();
    free_.pop_back();
    return buffer;
  }
  void Give(uint32_t buffer) { free_.push_back(buffer); }

  MutableBytes At(uint32_t buffer) { return MutableBytes(buffers_[buffer].get(), buffer_bytes_); }

 private:
  const size_t buffer_bytes_;
  std::vector<std::unique_ptr<char[]>> buffers_;
  std::vector<uint32_t> free_;
};

}  // namespace pure::transport
