#pragma once

// Type: what a value can be, with its bounds. A plain value of a few words; cases, fields and
// elements stand in a table of shapes.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/types/span.h"
#include "runtime/bytes.h"

namespace pure::modules {

// Largest bound that a type may name, and largest size that a value may have on its way (a document
// and what is joined to it, say).
inline constexpr int64_t kTypeBytesMax = int64_t{1} << 30;
inline constexpr int64_t kValueBytesMax = int64_t{1} << 32;

// Most elements of a collection.
inline constexpr int64_t kElementsMax = 10'000'000;

enum class TypeKind : uint8_t {
  kError,  // was reported; goes with everything
  kNone,   // `none` alone
  kBool,
  kInt,
  kTime,  // milliseconds since the first of January 1970, UTC
  kSpan,  // milliseconds
  kText,
  kSlug,
  kBytes,
  kChoice,
  kRecord,
  kList,
  kRing,
  kMap,
  kSet,
};

struct Type {
  TypeKind kind = TypeKind::kError;
  bool option = false;  // may be absent
  uint16_t shape = 0;   // kChoice, kRecord, kList to kSet: index into the table of its kind
  int64_t low = 0;      // kInt: least value; kText, kSlug, kBytes: least size in bytes
  int64_t high = 0;     // kInt: greatest value; kText, kSlug, kBytes: greatest size; kList to kSet:
                        // most elements

  bool is_error() const { return kind == TypeKind::kError; }
  // Text, slug or bytes: it has a size.
  bool is_octets() const {
    return kind == TypeKind::kText || kind == TypeKind::kSlug || kind == TypeKind::kBytes;
  }
  // It has elements.
  bool is_collection() const {
    return kind == TypeKind::kList || kind == TypeKind::kRing || kind == TypeKind::kMap ||
           kind == TypeKind::kSet;
  }
  // One number in a register.
  bool is_number() const {
    return kind == TypeKind::kBool || kind == TypeKind::kInt || kind == TypeKind::kTime ||
           kind == TypeKind::kSpan || kind == TypeKind::kChoice;
  }

  friend bool operator==(const Type&, const Type&) = default;
};

Type ErrorType();
// Of a kind that needs nothing else.
Type TypeOfKind(TypeKind kind);
Type BoolType();
Type IntType(int64_t low, int64_t high);
Type AnyIntType();
Type OctetsType(TypeKind kind, int64_t low, int64_t high);

struct FieldType {
  std::string name;
  Type type;
  friend bool operator==(const FieldType&, const FieldType&) = default;
};

// What is in a collection; `key` of maps only.
struct ElementType {
  Type key;
  Type element;
  friend bool operator==(const ElementType&, const ElementType&) = default;
};

// The cases of each `one of` type, the fields of each record, the elements of each collection, in
// order. Equal ones have the same index.
class Shapes {
 public:
  static constexpr size_t kShapesMax = 1000;  // of each kind

  // Index of these. False: the table is full.
  bool Intern(const std::vector<std::string>& cases, uint16_t* index);
  bool Intern(const std::vector<FieldType>& fields, uint16_t* index);
  bool Intern(const ElementType& element, uint16_t* index);

  // Number of a case, or -1.
  int FindCase(const Type& choice, Bytes name) const;
  // Number of a field, or -1.
  int FindField(const Type& record, Bytes name) const;

  absl::Span<const std::string> cases(const Type& choice) const ABSL_ATTRIBUTE_LIFETIME_BOUND {
    return cases_[choice.shape];
  }
  absl::Span<const FieldType> fields(const Type& record) const ABSL_ATTRIBUTE_LIFETIME_BOUND {
    return fields_[record.shape];
  }
  const Type& element(const Type& collection) const ABSL_ATTRIBUTE_LIFETIME_BOUND {
    return elements_[collection.shape].element;
  }
  const Type& key(const Type& map) const ABSL_ATTRIBUTE_LIFETIME_BOUND {
    return elements_[map.shape].key;
  }

 private:
  std::vector<std::vector<std::string>> cases_;
  std::vector<std::vector<FieldType>> fields_;
  std::vector<ElementType> elements_;
};

// Most octets of a row of the collection (rows/row.h).
int64_t ElementBytesMax(const Type& collection, const Shapes& shapes);
// Most octets that a value of the type takes as a field of a row (rows/row.h), its slot left out.
int64_t StoredBytesMax(const Type& type, const Shapes& shapes);

// True when a value of type `from` may stand where `to` is wanted, bounds aside: the same kind, and
// the same fields or elements; slug as text; slug and text as bytes; a list as a ring; a value as
// an option of it, and `none` as any option.
bool Fits(const Type& from, const Type& to);

// The narrowest type that both fit, bounds included. False: there is none.
bool Join(const Type& a, const Type& b, Type* joined);

// As the module text writes it: "text(1..40)", "int", "one of a b", "bytes(..1MiB)?".
std::string TypeText(const Type& type, const Shapes& shapes);

// The kind in words, for errors: "a text", "a number".
Bytes KindText(const Type& type);

// "1MiB", "64": a size as short as it can be written.
std::string SizeText(int64_t bytes);

}  // namespace pure::modules
