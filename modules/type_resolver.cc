#include "modules/type_resolver.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"

namespace pure::modules {
namespace {

constexpr Bytes kTypeNames[] = {"bool", "bytes", "int",  "list", "map",  "one of",
                                "ring", "set",   "slug", "span", "text", "time"};
constexpr int64_t kSlugBytesMax = 255;
constexpr size_t kAliasesMax = 1000;

}  // namespace

Type TypeResolver::Report(uint32_t offset, std::string what, std::string help) {
  diagnostics_.Add(offset, std::move(what), std::move(help));
  return ErrorType();
}

void TypeResolver::Define(const TypeItem& item) {
  const Type type = Resolve(item.type);
  if (aliases_.size() == kAliasesMax) {
    return diagnostics_.Add(item.name.offset,
                            absl::StrCat("a module has at most ", kAliasesMax, " types"));
  }
  for (const Alias& alias : aliases_) {
    if (alias.name != item.name.text) continue;
    diagnostics_.Add(item.name.offset,
                     absl::StrCat("the type `", Shortened(item.name.text), "` is defined twice"));
    return;
  }
  aliases_.push_back({item.name.text, type});
}

Type TypeResolver::Resolve(Index index) {
  if (index == kNoIndex) return ErrorType();
  const TypeNode& node = ast_.type_nodes[index];
  Type type;
  switch (node.kind) {
    case TypeNodeKind::kBroken:
      return ErrorType();
    case TypeNodeKind::kNamed:
      type = ResolveNamed(node);
      break;
    case TypeNodeKind::kChoice:
      type = ResolveChoice(node);
      break;
    case TypeNodeKind::kRecord:
      type = ResolveRecord(node);
      break;
    case TypeNodeKind::kList:
      type = ResolveCollection(TypeKind::kList, node);
      break;
    case TypeNodeKind::kRing:
      type = ResolveCollection(TypeKind::kRing, node);
      break;
    case TypeNodeKind::kMap:
      type = ResolveCollection(TypeKind::kMap, node);
      break;
    case TypeNodeKind::kSet:
      type = ResolveCollection(TypeKind::kSet, node);
      break;
  }
  if (node.option && !type.is_error()) type.option = true;
  return type;
}

Type TypeResolver::ResolveNamed(const TypeNode& node) {
  const Bytes name = node.name.text;
  if (name == "text") return ResolveOctets(node, TypeKind::kText);
  if (name == "bytes") return ResolveOctets(node, TypeKind::kBytes);
  if (name == "slug") return ResolveOctets(node, TypeKind::kSlug);
  if (name == "int") return ResolveInt(node);
  const TypeKind kind = name == "bool"   ? TypeKind::kBool
                        : name == "time" ? TypeKind::kTime
                        : name == "span" ? TypeKind::kSpan
                                         : TypeKind::kError;
  if (kind == TypeKind::kError) return ResolveAlias(node);
  if (node.has_high) return Report(node.name.offset, absl::StrCat("`", name, "` has no bounds"));
  return TypeOfKind(kind);
}

Type TypeResolver::ResolveAlias(const TypeNode& node) {
  const Bytes name = node.name.text;
  std::vector<Bytes> known(std::begin(kTypeNames), std::end(kTypeNames));
  for (const Alias& alias : aliases_) {
    if (alias.name == name) {
      if (!node.has_high) return alias.type;
      return Report(node.name.offset,
                    absl::StrCat("`", name, "` has its bounds where it is defined"));
    }
    known.push_back(alias.name);
  }
  std::string help;
  if (std::any_of(ast_.types.begin(), ast_.types.begin() + std::min(ast_.types.size(), kAliasesMax),
                  [name](const TypeItem& item) { return item.name.text == name; })) {
    help = "a type is defined above its uses";
  }
  const Bytes nearest = diagnostics_.Nearest(name, known);
  if (help.empty() && !nearest.empty()) help = absl::StrCat("did you mean `", nearest, "`?");
  return Report(node.name.offset, absl::StrCat("there is no type `", Shortened(name), "`"), help);
}

bool TypeResolver::Signed(const Number& number, int64_t* value) {
  const uint64_t max = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  if (number.magnitude > max + (number.negative ? 1 : 0)) {
    diagnostics_.Add(number.offset, "this number is too large", "numbers have 64 bits");
    return false;
  }
  *value = static_cast<int64_t>(number.negative ? 0 - number.magnitude : number.magnitude);
  return true;
}

bool TypeResolver::Size(const Number& number, int64_t max, int64_t* value) {
  if (number.negative || number.magnitude > static_cast<uint64_t>(max)) {
    diagnostics_.Add(number.offset, absl::StrCat("a size here is 0 to ", SizeText(max), " bytes"));
    return false;
  }
  *value = static_cast<int64_t>(number.magnitude);
  return true;
}

Type TypeResolver::ResolveInt(const TypeNode& node) {
  if (!node.has_high) return AnyIntType();
  if (!node.has_low)
    return Report(node.name.offset, "`int` has both bounds or none", "for example int(0..100)");
  int64_t low = 0;
  int64_t high = 0;
  if (!Signed(node.low, &low) || !Signed(node.high, &high)) return ErrorType();
  if (low > high) return Report(node.low.offset, "the lower bound is greater than the upper");
  return IntType(low, high);
}

Type TypeResolver::ResolveOctets(const TypeNode& node, TypeKind kind) {
  const Bytes name = node.name.text;
  const bool slug = kind == TypeKind::kSlug;
  if (!node.has_high || node.has_range == slug) {
    const std::string number = node.has_high ? absl::StrCat(node.high.magnitude)
                               : slug        ? "64"
                                             : "80";
    return Report(node.name.offset, absl::StrCat("`", name, "` needs its largest size"),
                  slug ? absl::StrCat("for example slug(", number, ")")
                       : absl::StrCat("for example ", name, "(..", number, ") or ", name, "(1..",
                                      number, ")"));
  }
  int64_t low = slug ? 1 : 0;
  int64_t high = 0;
  const int64_t max = slug ? kSlugBytesMax : kTypeBytesMax;
  if ((node.has_low && !Size(node.low, max, &low)) || !Size(node.high, max, &high))
    return ErrorType();
  if (low > high) {
    return Report(
        node.has_low ? node.low.offset : node.high.offset,
        slug ? "a slug has at least one byte" : "the lower bound is greater than the upper");
  }
  return OctetsType(kind, low, high);
}

Type TypeResolver::ResolveChoice(const TypeNode& node) {
  std::vector<std::string> cases;
  for (const Name& name : node.cases) {
    if (std::find(cases.begin(), cases.end(), name.text) != cases.end()) {
      return Report(name.offset, absl::StrCat("the case `", name.text, "` stands twice"));
    }
    cases.emplace_back(name.text);
  }
  return Shaped(TypeKind::kChoice, cases, node.name.offset);
}

// The type of the kind with this shape.
template <typename Shape>
Type TypeResolver::Shaped(TypeKind kind, const Shape& shape, uint32_t offset) {
  Type type = TypeOfKind(kind);
  if (shapes_.Intern(shape, &type.shape)) return type;
  return Report(offset, absl::StrCat("a module has at most ", Shapes::kShapesMax,
                                     " different types of a kind"));
}

Type TypeResolver::ResolveRecord(const TypeNode& node) {
  std::vector<FieldType> fields;
  bool broken = false;
  for (const ParameterNode& field : node.fields) {
    const auto same = [&field](const FieldType& other) { return other.name == field.name.text; };
    if (std::any_of(fields.begin(), fields.end(), same)) {
      return Report(field.name.offset,
                    absl::StrCat("the field `", field.name.text, "` stands twice"));
    }
    fields.push_back({std::string(field.name.text), Resolve(field.type)});
    broken |= fields.back().type.is_error();
  }
  if (fields.empty()) return Report(node.name.offset, "a record has at least one field");
  return broken ? ErrorType() : Shaped(TypeKind::kRecord, fields, node.name.offset);
}

Type TypeResolver::ResolveCollection(TypeKind kind, const TypeNode& node) {
  ElementType element;
  element.element = Resolve(node.element);
  const bool keyed = kind == TypeKind::kMap;
  if (keyed) element.key = Resolve(node.key);
  if (element.element.is_error() || (keyed && element.key.is_error())) return ErrorType();
  const Type& ordered = keyed ? element.key : element.element;
  if ((keyed || kind == TypeKind::kSet) &&
      (ordered.option || !(ordered.is_number() || ordered.is_octets()))) {
    return Report(ast_.type_nodes[keyed ? node.key : node.element].name.offset,
                  absl::StrCat(keyed ? "the key of a map" : "what is in a set",
                               " is a number, a text or the like, and always there"));
  }
  int64_t most = 0;
  if (!Signed(node.high, &most)) return ErrorType();
  if (most < 1 || most > kElementsMax) {
    return Report(node.high.offset,
                  absl::StrCat("a ", node.name.text, " has 1 to ", kElementsMax, " elements"));
  }
  Type type = Shaped(kind, element, node.name.offset);
  type.high = most;
  if (type.is_error() || StoredBytesMax(type, shapes_) <= kValueBytesMax) return type;
  return Report(node.high.offset, absl::StrCat("this ", node.name.text, " could have more than ",
                                               SizeText(kValueBytesMax), " bytes"));
}

}  // namespace pure::modules
