#include "modules/types.h"

#include <algorithm>
#include <limits>

#include "absl/numeric/int128.h"
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

Type TypeOfKind(TypeKind kind) {
  Type type;
  type.kind = kind;
  return type;
}

Type OctetsType(TypeKind kind, int64_t low, int64_t high) {
  Type type;
  type.kind = kind;
  type.low = low;
  type.high = high;
  return type;
}

namespace {

template <typename T>
bool InternIn(const T& value, std::vector<T>* table, uint16_t* index) {
  const auto found = std::find(table->begin(), table->end(), value);
  *index = static_cast<uint16_t>(found - table->begin());
  if (found != table->end()) return true;
  if (table->size() == Shapes::kShapesMax) return false;
  table->push_back(value);
  return true;
}

}  // namespace

bool Shapes::Intern(const std::vector<std::string>& cases, uint16_t* index) {
  return InternIn(cases, &cases_, index);
}

bool Shapes::Intern(const std::vector<FieldType>& fields, uint16_t* index) {
  return InternIn(fields, &fields_, index);
}

bool Shapes::Intern(const ElementType& element, uint16_t* index) {
  return InternIn(element, &elements_, index);
}

int Shapes::FindCase(const Type& choice, Bytes name) const {
  const std::vector<std::string>& list = cases_[choice.shape];
  const auto found = std::find(list.begin(), list.end(), name);
  return found == list.end() ? -1 : static_cast<int>(found - list.begin());
}

int Shapes::FindField(const Type& record, Bytes name) const {
  const std::vector<FieldType>& list = fields_[record.shape];
  const auto found = std::find_if(list.begin(), list.end(),
                                  [name](const FieldType& field) { return field.name == name; });
  return found == list.end() ? -1 : static_cast<int>(found - list.begin());
}

namespace {

int64_t Capped(absl::int128 bytes) {
  return static_cast<int64_t>(std::min<absl::int128>(bytes, std::numeric_limits<int64_t>::max()));
}

// A row's presence bits and slots, and what the fields take beyond them.
int64_t RowBytesMax(absl::Span<const Type> fields, const Shapes& shapes) {
  absl::int128 bytes = 8 * static_cast<absl::int128>((fields.size() + 63) / 64 + fields.size());
  for (const Type& field : fields) bytes += StoredBytesMax(field, shapes);
  return Capped(bytes);
}

int64_t RecordBytesMax(const Type& record, const Shapes& shapes) {
  std::vector<Type> fields;
  for (const FieldType& field : shapes.fields(record)) fields.push_back(field.type);
  return RowBytesMax(fields, shapes);
}

}  // namespace

int64_t ElementBytesMax(const Type& collection, const Shapes& shapes) {
  const Type& element = shapes.element(collection);
  if (collection.kind == TypeKind::kMap) {
    return RowBytesMax({shapes.key(collection), element}, shapes);
  }
  if (element.kind == TypeKind::kRecord && !element.option) return RecordBytesMax(element, shapes);
  return RowBytesMax({element}, shapes);
}

int64_t StoredBytesMax(const Type& type, const Shapes& shapes) {
  if (type.is_octets()) return type.high;
  if (type.kind == TypeKind::kRecord) return RecordBytesMax(type, shapes);
  if (!type.is_collection()) return 0;
  // A count, and for each element an offset and its row.
  return Capped(8 + static_cast<absl::int128>(type.high) *
                        (static_cast<absl::int128>(ElementBytesMax(type, shapes)) + 4));
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
    case TypeKind::kRing:
      return (from.kind == TypeKind::kRing || from.kind == TypeKind::kList) &&
             from.shape == to.shape;
    case TypeKind::kChoice:
    case TypeKind::kRecord:
    case TypeKind::kList:
    case TypeKind::kMap:
    case TypeKind::kSet:
      return from.kind == to.kind && from.shape == to.shape;
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

namespace {

std::string RecordText(const Type& type, const Shapes& shapes) {
  std::string text;
  for (const FieldType& field : shapes.fields(type)) {
    absl::StrAppend(&text, text.empty() ? "{ " : ", ", field.name, ": ",
                    TypeText(field.type, shapes));
  }
  return text.empty() ? "{}" : text + " }";
}

std::string CollectionText(Bytes word, const Type& type, const Shapes& shapes) {
  const std::string key =
      type.kind == TypeKind::kMap ? absl::StrCat(TypeText(shapes.key(type), shapes), ", ") : "";
  return absl::StrCat(word, "(", key, TypeText(shapes.element(type), shapes), ", ", type.high, ")");
}

std::string IntText(const Type& type) {
  const Type any = AnyIntType();
  if (type.low == any.low && type.high == any.high) return "int";
  return absl::StrCat("int(", type.low, "..", type.high, ")");
}

std::string SizedText(Bytes word, const Type& type) {
  const std::string low = type.low == 0 ? "" : SizeText(type.low);
  return absl::StrCat(word, "(", low, "..", SizeText(type.high), ")");
}

std::string PresentText(const Type& type, const Shapes& shapes) {
  switch (type.kind) {
    case TypeKind::kError:
      break;
    case TypeKind::kNone:
      return "none";
    case TypeKind::kBool:
      return "bool";
    case TypeKind::kInt:
      return IntText(type);
    case TypeKind::kTime:
      return "time";
    case TypeKind::kSpan:
      return "span";
    case TypeKind::kText:
      return SizedText("text", type);
    case TypeKind::kBytes:
      return SizedText("bytes", type);
    case TypeKind::kSlug:
      return absl::StrCat("slug(", SizeText(type.high), ")");
    case TypeKind::kChoice:
      return absl::StrCat("one of ", absl::StrJoin(shapes.cases(type), " "));
    case TypeKind::kRecord:
      return RecordText(type, shapes);
    case TypeKind::kList:
      return CollectionText("list", type, shapes);
    case TypeKind::kRing:
      return CollectionText("ring", type, shapes);
    case TypeKind::kMap:
      return CollectionText("map", type, shapes);
    case TypeKind::kSet:
      return CollectionText("set", type, shapes);
  }
  return "?";
}

}  // namespace

std::string TypeText(const Type& type, const Shapes& shapes) {
  const bool optional = type.option && type.kind != TypeKind::kNone;
  return absl::StrCat(PresentText(type, shapes), optional ? "?" : "");
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
    case TypeKind::kTime:
      return "a time";
    case TypeKind::kSpan:
      return "a span of time";
    case TypeKind::kText:
      return "a text";
    case TypeKind::kSlug:
      return "a slug";
    case TypeKind::kBytes:
      return "bytes";
    case TypeKind::kChoice:
      return "one of its cases";
    case TypeKind::kRecord:
      return "a record";
    case TypeKind::kList:
      return "a list";
    case TypeKind::kRing:
      return "a ring";
    case TypeKind::kMap:
      return "a map";
    case TypeKind::kSet:
      return "a set";
  }
  return "something unknown";
}

}  // namespace pure::modules
