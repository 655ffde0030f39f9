#include "store/record_memory.h"

#include <cstring>
#include <set>
#include <vector>

#include "gtest/gtest.h"

namespace pure::store {
namespace {

TEST(RecordMemoryTest, WhatIsGivenBackServesTheNextOfItsSize) {
  RecordMemory memory;
  void* const first = memory.Take(100);
  memory.Give(first, 100);
  void* const other_size = memory.Take(300);
  EXPECT_NE(other_size, first);
  void* const second = memory.Take(104);  // of the same 16 bytes
  EXPECT_EQ(second, first);
  memory.Give(second, 104);
  memory.Give(other_size, 300);
}

TEST(RecordMemoryTest, LivePiecesNeverOverlap) {
  RecordMemory memory;
  for (const size_t size : {1u, 16u, 17u, 512u, 513u, 5000u}) {
    std::set<void*> live;
    for (int round = 0; round < 3; ++round) {
      std::vector<void*> pieces;
      for (int i = 0; i < 3000; ++i) {
        pieces.push_back(memory.Take(size));
        ASSERT_NE(pieces.back(), nullptr);
        EXPECT_TRUE(live.insert(pieces.back()).second) << size;
        std::memset(pieces.back(), i, size);
      }
      for (void* piece : pieces) {
        live.erase(piece);
        memory.Give(piece, size);
      }
    }
  }
}

}  // namespace
}  // namespace pure::store
