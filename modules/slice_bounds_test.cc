#include "modules/slice_bounds.h"

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"

namespace pure::modules {
namespace {

std::vector<Type> Ranges(int64_t low, int64_t high) {
  std::vector<Type> ranges;
  for (int64_t from = low; from <= high; ++from) {
    for (int64_t to = from; to <= high; ++to) ranges.push_back(IntType(from, to));
  }
  return ranges;
}

// What there really is, by trying all sizes and offsets.
SliceBounds Tried(const Type& value, const Type* from, const Type* to) {
  SliceBounds tried{.low = value.high, .high = 0, .never = true, .always = true};
  for (int64_t size = value.low; size <= value.high; ++size) {
    const Type begins = from != nullptr ? *from : IntType(0, 0);
    const Type ends = to != nullptr ? *to : IntType(size, size);
    for (int64_t begin = begins.low; begin <= begins.high; ++begin) {
      for (int64_t end = ends.low; end <= ends.high; ++end) {
        if (begin < 0 || begin > end || end > size) {
          tried.always = false;
          continue;
        }
        tried.never = false;
        tried.low = std::min(tried.low, end - begin);
        tried.high = std::max(tried.high, end - begin);
      }
    }
  }
  return tried;
}

TEST(SliceBoundsTest, BoundsHoldAndAreNarrow) {
  const std::vector<Type> offsets = Ranges(-2, 5);
  for (const Type& sizes : Ranges(0, 4)) {
    const Type value = OctetsType(TypeKind::kBytes, sizes.low, sizes.high);
    for (size_t i = 0; i <= offsets.size(); ++i) {
      for (size_t j = 0; j <= offsets.size(); ++j) {
        const Type* const from = i < offsets.size() ? &offsets[i] : nullptr;
        const Type* const to = j < offsets.size() ? &offsets[j] : nullptr;
        const SliceBounds bounds = BoundsOfSlice(value, from, to);
        const SliceBounds tried = Tried(value, from, to);
        ASSERT_EQ(bounds.never, tried.never);
        if (tried.never) continue;
        ASSERT_EQ(bounds.always, tried.always);
        ASSERT_LE(bounds.low, tried.low);
        ASSERT_EQ(bounds.high, tried.high);
      }
    }
  }
}

TEST(SliceBoundsTest, TheGreatestNumbersDoNotOverflow) {
  const Type any = AnyIntType();
  const Type value = OctetsType(TypeKind::kText, 0, kValueBytesMax);
  const SliceBounds bounds = BoundsOfSlice(value, &any, &any);
  EXPECT_EQ(bounds.low, 0);
  EXPECT_EQ(bounds.high, kValueBytesMax);
  EXPECT_FALSE(bounds.never);
  EXPECT_FALSE(bounds.always);
}

}  // namespace
}  // namespace pure::modules
