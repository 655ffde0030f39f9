#pragma once

// BlockPool: buffers of one size that connections hold only while they have something in them.
// Reused last in, first out, so that few of them are warm; a pool grows to what was held at once
// and stays there.
//
// Thread: its shard's. Lifetime: owns all blocks; every block is back before its end. Cost:
// allocates only to grow.

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include "runtime/check.h"

namespace pure::transport {

class BlockPool {
 public:
  // At most `blocks_max` are held at once.
  BlockPool(size_t block_bytes, size_t blocks_max) : block_bytes_(block_bytes) {
    free_.reserve(blocks_max);
  }
  ~BlockPool() { PURE_CHECK(held_ == 0, "a block outlives its pool"); }
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  size_t block_bytes() const { return block_bytes_; }

  // Null: no memory.
  char* Take() {
    if (!free_.empty()) {
      char* block = free_.back().release();
      free_.pop_back();
      ++held_;
      return block;
    }
    char* block = new (std::nothrow) char[block_bytes_];
    held_ += block != nullptr;
    return block;
  }

  void Give(char* block) {
    free_.emplace_back(block);
    --held_;
  }

 private:
  const size_t block_bytes_;
  std::vector<std::unique_ptr<char[]>> free_;
  size_t held_ = 0;
};

}  // namespace pure::transport
