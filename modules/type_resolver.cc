#include "modules/type_resolver.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"

namespace pure::modules {
namespace {

constexpr Bytes kTypeNames[] = {"bool", "bytes", "int", "one of", "slug", "text"};
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
  if (name != "bool") return ResolveAlias(node);
  if (node.has_high) return Report(node.name.offset, "`bool` has no bounds");
  return BoolType();
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
  Type type;
  type.kind = TypeKind::kChoice;
  if (!choices_.Intern(cases, &type.choice)) {
    return Report(node.name.offset, absl::StrCat("a module has at most ", ChoiceTable::kChoicesMax,
                                                 " different `one of` types"));
  }
  return type;
}

}  // namespace pure::modules
