#include "tests/testing/allocation_counter.h"

#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace pure::testing {
namespace {

// Keeps the compiler from proving that an allocation is of no use.
void Escape(void* data) { asm volatile("" : : "g"(data) : "memory"); }

TEST(AllocationCounterTest, OperatorNewIsCountedOnceWithItsSize) {
  const AllocationCounter counter;
  auto number = std::make_unique<uint64_t>(7);
  Escape(number.get());
  EXPECT_EQ(counter.allocations(), 1u);
  EXPECT_EQ(counter.bytes(), sizeof(uint64_t));
}

TEST(AllocationCounterTest, AlignedOperatorNewIsCounted) {
  struct alignas(256) Wide {
    char bytes[256];
  };
  const AllocationCounter counter;
  auto wide = std::make_unique<Wide>();
  Escape(wide.get());
  EXPECT_EQ(counter.allocations(), 1u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(wide.get()) % 256, 0u);
}

TEST(AllocationCounterTest, MallocIsCountedWhereItCanBe) {
  const AllocationCounter counter;
  void* data = std::malloc(100);
  Escape(data);
  std::free(data);
  EXPECT_EQ(counter.allocations(), AllocationCounter::counts_malloc() ? 1u : 0u);
}

TEST(AllocationCounterTest, NothingIsCountedWhenNothingIsAllocated) {
  std::vector<int> numbers(100);
  const AllocationCounter counter;
  for (int& number : numbers) number = 5;
  Escape(numbers.data());
  EXPECT_EQ(counter.allocations(), 0u);
  EXPECT_EQ(counter.bytes(), 0u);
}

TEST(AllocationCounterTest, AnotherThreadCountsForTheProcessOnly) {
  const AllocationCounter process(AllocationCounter::Scope::kProcess);
  uint64_t seen_by_the_other = 0;
  std::thread other([&] {
    const AllocationCounter own;
    for (int i = 0; i < 1000; ++i) Escape(std::make_unique<int>(i).get());
    seen_by_the_other = own.allocations();
  });
  const AllocationCounter mine;
  other.join();
  EXPECT_EQ(mine.allocations(), 0u);
  EXPECT_EQ(seen_by_the_other, 1000u);
  EXPECT_GE(process.allocations(), 1000u);
}

TEST(AllocationCounterTest, ResetStartsAgain) {
  AllocationCounter counter;
  Escape(std::make_unique<int>(1).get());
  counter.Reset();
  EXPECT_EQ(counter.allocations(), 0u);
}

}  // namespace
}  // namespace pure::testing
