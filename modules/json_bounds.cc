#include "modules/json_bounds.h"

#include <algorithm>

#include "absl/numeric/int128.h"
#include "modules/lexer.h"

namespace pure::modules {
namespace {

constexpr int64_t kMost = int64_t{1} << 62;
constexpr int64_t kNumberBytes = 20;
constexpr int64_t kEscapeFactor = 6;  // \u0001

int64_t Capped(absl::int128 bytes) {
  return static_cast<int64_t>(std::min<absl::int128>(bytes, kMost));
}

int64_t PresentBytesMax(const Type& type, const Shapes& shapes) {
  switch (type.kind) {
    case TypeKind::kError:
    case TypeKind::kNone:
      return 4;
    case TypeKind::kBool:
      return 5;
    case TypeKind::kInt:
    case TypeKind::kTime:
    case TypeKind::kSpan:
      return kNumberBytes;
    case TypeKind::kSlug:
      return type.high + 2;
    case TypeKind::kChoice:
      return static_cast<int64_t>(kNameBytesMax) + 2;
    case TypeKind::kText:
    case TypeKind::kBytes:
      return kEscapeFactor * type.high + 2;
    case TypeKind::kRecord: {
      absl::int128 bytes = 2;
      for (const FieldType& field : shapes.fields(type)) {
        bytes += static_cast<int64_t>(field.name.size()) + 4 + JsonBytesMax(field.type, shapes);
      }
      return Capped(bytes);
    }
    case TypeKind::kList:
    case TypeKind::kRing:
    case TypeKind::kMap:
    case TypeKind::kSet: {
      absl::int128 each = 1 + JsonBytesMax(shapes.element(type), shapes);
      if (type.kind == TypeKind::kMap) each += 3 + JsonBytesMax(shapes.key(type), shapes);
      return Capped(2 + each * type.high);
    }
  }
  return 0;
}

}  // namespace

int64_t JsonBytesMax(const Type& type, const Shapes& shapes) {
  return std::max<int64_t>(type.option ? 4 : 0, PresentBytesMax(type, shapes));
}

}  // namespace pure::modules
