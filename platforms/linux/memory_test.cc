#include "platforms/linux/memory.h"

#include <algorithm>
#include <cstdint>

#include "gtest/gtest.h"

namespace pure {
namespace {

TEST(HeapMemoryTest, EveryByteOfABlockCanBeWritten) {
  HeapMemory memory;
  for (size_t size : {size_t{1}, size_t{4096}, size_t{16} << 20}) {
    char* const data = memory.Allocate(size);
    ASSERT_NE(data, nullptr);
    std::fill_n(data, size, 'x');
    EXPECT_EQ(std::count(data, data + size, 'x'), static_cast<ptrdiff_t>(size));
    memory.Free(data, size);
  }
}

TEST(HeapMemoryTest, WhatNoMachineHasIsRefusedWithNull) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer's malloc ends the process instead";
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "the sanitizer's malloc ends the process instead";
#endif
#endif
  HeapMemory memory;
  volatile size_t size = SIZE_MAX / 2;  // volatile: so that the compiler does not warn of it
  EXPECT_EQ(memory.Allocate(size), nullptr);
}

}  // namespace
}  // namespace pure
