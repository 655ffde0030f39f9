#pragma once

// CountingMemory: a Memory that counts what it gives, checks what it gets back, and can run out on
// purpose. Thread: one thread's. Lifetime: owns what it gave; what was not freed is freed with it.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "runtime/port.h"

namespace pure::testing {

class CountingMemory final : public Memory {
 public:
  CountingMemory() = default;

  char* Allocate(size_t size) override;
  void Free(char* data, size_t size) override;

  // The k-th call of Allocate from now on fails, once; 1 is the next one, 0 none.
  void FailAllocation(uint64_t k) { fail_in_ = k; }
  // Every call fails while it is set.
  void set_exhausted(bool exhausted) { exhausted_ = exhausted; }

  uint64_t allocations() const { return allocations_; }  // calls that gave memory
  uint64_t failures() const { return failures_; }        // calls that gave none
  uint64_t frees() const { return frees_; }
  size_t live_blocks() const { return blocks_.size(); }
  size_t live_bytes() const { return live_bytes_; }

 private:
  struct Block {
    std::unique_ptr<char[]> data;
    size_t size = 0;
  };

  std::unordered_map<const char*, Block> blocks_;
  uint64_t allocations_ = 0;
  uint64_t failures_ = 0;
  uint64_t frees_ = 0;
  size_t live_bytes_ = 0;
  uint64_t fail_in_ = 0;
  bool exhausted_ = false;
};

}  // namespace pure::testing
