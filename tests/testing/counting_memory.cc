#include "tests/testing/counting_memory.h"

#include <algorithm>
#include <utility>

#include "runtime/check.h"

namespace pure::testing {

char* CountingMemory::Allocate(size_t size) {
  PURE_CHECK(size > 0, "no bytes were asked for");
  const bool fails = exhausted_ || fail_in_ == 1;
  if (fail_in_ > 0) --fail_in_;
  if (fails) {
    ++failures_;
    return nullptr;
  }
  Block block{std::make_unique<char[]>(size), size};
  char* const data = block.data.get();
  std::fill_n(data, size, '\xA5');  // what nobody wrote is told from what somebody did
  blocks_.emplace(data, std::move(block));
  live_bytes_ += size;
  ++allocations_;
  return data;
}

void CountingMemory::Free(char* data, size_t size) {
  const auto found = blocks_.find(data);
  PURE_CHECK(found != blocks_.end(), "memory is freed that was not given, or twice");
  PURE_CHECK(found->second.size == size, "memory is freed with another size than was given");
  std::fill_n(data, size, '\xDE');
  blocks_.erase(found);
  live_bytes_ -= size;
  ++frees_;
}

}  // namespace pure::testing
