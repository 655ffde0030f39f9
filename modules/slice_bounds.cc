#include "modules/slice_bounds.h"

#include <algorithm>

namespace pure::modules {

SliceBounds BoundsOfSlice(const Type& value, const Type* from, const Type* to) {
  const Type begin = from != nullptr ? *from : IntType(0, 0);
  const Type end = to != nullptr ? *to : IntType(value.low, value.high);
  SliceBounds bounds;
  bounds.never = begin.high < 0 || end.high < 0 || end.low > value.high ||
                 begin.low > std::min(end.high, value.high);
  if (bounds.never) return bounds;
  bounds.always =
      begin.low >= 0 && begin.high <= end.low && (to == nullptr || end.high <= value.low);
  const auto inside = [&value](int64_t offset) {
    return std::clamp<int64_t>(offset, 0, value.high);
  };
  bounds.low = std::max<int64_t>(0, inside(end.low) - inside(begin.high));
  bounds.high = inside(end.high) - inside(begin.low);
  return bounds;
}

}  // namespace pure::modules
