#pragma once

// TypeResolver: gives the types that a text writes their meaning: builtin names with their bounds,
// aliases, shapes.

#include <string>
#include <vector>

#include "absl/base/attributes.h"
#include "modules/ast.h"
#include "modules/diagnostics.h"
#include "modules/types.h"

namespace pure::modules {

class TypeResolver {
 public:
  TypeResolver(const Ast& ast ABSL_ATTRIBUTE_LIFETIME_BOUND,
               Shapes* shapes ABSL_ATTRIBUTE_LIFETIME_BOUND,
               Diagnostics* diagnostics ABSL_ATTRIBUTE_LIFETIME_BOUND)
      : ast_(ast), shapes_(*shapes), diagnostics_(*diagnostics) {}

  // Defines an alias; later types may use it.
  void Define(const TypeItem& item);
  // The type that a node means; the error type when it means none, which is reported.
  Type Resolve(Index node);

 private:
  struct Alias {
    Bytes name;
    Type type;
  };

  Type ResolveNamed(const TypeNode& node);
  Type ResolveAlias(const TypeNode& node);
  Type ResolveInt(const TypeNode& node);
  Type ResolveOctets(const TypeNode& node, TypeKind kind);
  Type ResolveChoice(const TypeNode& node);
  Type ResolveRecord(const TypeNode& node);
  Type ResolveCollection(TypeKind kind, const TypeNode& node);
  template <typename Shape>
  Type Shaped(TypeKind kind, const Shape& shape, uint32_t offset);
  bool Signed(const Number& number, int64_t* value);
  bool Size(const Number& number, int64_t max, int64_t* value);
  Type Report(uint32_t offset, std::string what, std::string help = "");

  const Ast& ast_;
  Shapes& shapes_;
  Diagnostics& diagnostics_;
  std::vector<Alias> aliases_;
};

}  // namespace pure::modules
