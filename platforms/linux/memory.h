#pragma once

// HeapMemory: ingress from the C heap. Large blocks are mappings of their own, which free gives
// back to the kernel. Thread: any.

#include <cstddef>

#include "runtime/port.h"

namespace pure {

class HeapMemory final : public Memory {
 public:
  char* Allocate(size_t size) override;
  void Free(char* data, size_t size) override;
};

}  // namespace pure
