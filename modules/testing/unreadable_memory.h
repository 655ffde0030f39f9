#pragma once

// UnreadableMemory: addresses that stand for octets which nobody may look at: a read of one ends
// the process.

#include <sys/mman.h>

#include <cstddef>

#include "runtime/bytes.h"
#include "runtime/check.h"

namespace pure::testing {

class UnreadableMemory {
 public:
  // REQUIRES: size_bytes > 0.
  explicit UnreadableMemory(size_t size_bytes)
      : address_(mmap(nullptr, size_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)),
        size_bytes_(size_bytes) {
    PURE_CHECK(address_ != MAP_FAILED, "no addresses are left");
  }
  UnreadableMemory(const UnreadableMemory&) = delete;
  UnreadableMemory& operator=(const UnreadableMemory&) = delete;
  ~UnreadableMemory() { munmap(address_, size_bytes_); }

  Bytes bytes() const { return {static_cast<const char*>(address_), size_bytes_}; }

 private:
  void* const address_;
  const size_t size_bytes_;
};

}  // namespace pure::testing
