#include "modules/types.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace pure::modules {

Type ErrorType() { return {}; }

Type BoolType() {
  Type type;
  type.kind = TypeKind::kBool;
  return type;
}

Type IntType(int64_t low, int64_t high) {
  Type type;
  type.kind = TypeKind::kInt;
  type.low = low;
  type.high = high;
  return type;
}

Type AnyIntType() {
  return IntType(std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max());
}

Type OctetsType(TypeKind kind, int64_t low, int64_t high) {
  Type type;
  type.kind = kind;
  type.low = low;
  type.high = high;
  return type;
}

bool ChoiceTable::Intern(const std::vector<std::string>& cases, uint16_t* index) {
  const auto found = std::find(lists_.begin(), lists_.end(), cases);
  if (found == lists_.end()) {
    if (lists_.size() == kChoicesMax) return false;
    lists_.push_back(cases);
    *index = static_cast<uint16_t>(lists_.size() - 1);
  } else {
    *index = static_cast<uint16_t>(found - lists_.begin());
  }
  return true;
}

int ChoiceTable::Find(uint16_t choice, Bytes name) const {
  const std::vector<std::string>& list = lists_[choice];
  const auto found = std::find(list.begin(), list.end(), name);
  return found == list.end() ? -1 : static_cast<int>(found - list.begin());
}

bool Fits(const Type& from, const Type& to) {
  if (from.is_error() || to.is_error()) return true;
  if (from.kind == TypeKind::kNone) return to.option || to.kind == TypeKind::kNone;
  if (from.option && !to.option) return false;
  switch (to.kind) {
    case TypeKind::kBytes:
      return from.is_octets();
    case TypeKind::kText:
      return from.kind == TypeKind::kText || from.kind == TypeKind::kSlug;
    case TypeKind::kChoice:
      return from.kind == TypeKind::kChoice && from.choice == to.choice;
    default:
      return from.kind == to.kind;
  }
}

bool Join(const Type& a, const Type& b, Type* joined) {
  if (a.is_error() || b.is_error()) {
    *joined = ErrorType();
    return true;
  }
  if (a.kind == TypeKind::kNone || b.kind == TypeKind::kNone) {
    *joined = a.kind == TypeKind::kNone ? b : a;
    joined->option = joined->kind != TypeKind::kNone;
    return true;
  }
  Type wide_a = a;
  Type wide_b = b;
  wide_a.option = wide_b.option = a.option || b.option;
  if (Fits(wide_a, wide_b)) {
    *joined = wide_b;
  } else if (Fits(wide_b, wide_a)) {
    *joined = wide_a;
  } else {
    return false;
  }
  joined->low = std::min(a.low, b.low);
  joined->high = std::max(a.high, b.high);
  return true;
}

std::string SizeText(int64_t bytes) {
  if (bytes > 0 && bytes % (int64_t{1} << 30) == 0) return absl::StrCat(bytes >> 30, "GiB");
  if (bytes > 0 && bytes % (int64_t{1} << 20) == 0) return absl::StrCat(bytes >> 20, "MiB");
  if (bytes > 0 && bytes % (int64_t{1} << 10) == 0) return absl::StrCat(bytes >> 10, "KiB");
  return absl::StrCat(bytes);
}

std::string TypeText(const Type& type, const ChoiceTable& choices) {
  const Bytes mark = type.option ? "?" : "";
  const auto sized = [&type, mark](Bytes name) {
    const std::string low = type.low == 0 ? "" : SizeText(type.low);
    return absl::StrCat(name, "(", low, "..", SizeText(type.high), ")", mark);
  };
  switch (type.kind) {
    case TypeKind::kError:
      break;
    case TypeKind::kNone:
      return "none";
    case TypeKind::kBool:
      return absl::StrCat("bool", mark);
    case TypeKind::kInt: {
      const Type any = AnyIntType();
      if (type.low == any.low && type.high == any.high) return absl::StrCat("int", mark);
      return absl::StrCat("int(", type.low, "..", type.high, ")", mark);
    }
    case TypeKind::kText:
      return sized("text");
    case TypeKind::kBytes:
      return sized("bytes");
    case TypeKind::kSlug:
      return absl::StrCat("slug(", SizeText(type.high), ")", mark);
    case TypeKind::kChoice:
      return absl::StrCat("one of ", absl::StrJoin(choices.cases(type.choice), " "), mark);
  }
  return "?";
}

Bytes KindText(const Type& type) {
  switch (type.kind) {
    case TypeKind::kError:
      return "something unknown";
    case TypeKind::kNone:
      return "`none`";
    case TypeKind::kBool:
      return "true or false";
    case TypeKind::kInt:
      return "a number";
    case TypeKind::kText:
      return "a text";
    case TypeKind::kSlug:
      return "a slug";
    case TypeKind::kBytes:
      return "bytes";
    case TypeKind::kChoice:
      return "one of its cases";
  }
  return "something unknown";
}

}  // namespace pure::modules
