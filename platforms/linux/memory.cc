#include "platforms/linux/memory.h"

#include <cstdlib>

namespace pure {

char* HeapMemory::Allocate(size_t size) { return static_cast<char*>(std::malloc(size)); }

void HeapMemory::Free(char* data, size_t) { std::free(data); }

}  // namespace pure
