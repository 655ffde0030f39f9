#pragma once

// Type: what a value can be, with its bounds. A plain value of a few words; the cases of `one of`
// types stand in a table.

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

enum class TypeKind : uint8_t {
  kError,  // was reported; goes with everything
  kNone,   // `none` alone
  kBool,
  kInt,
  kText,
  kSlug,
  kBytes,
  kChoice,
};

struct Type {
  TypeKind kind = TypeKind::kError;
  bool option = false;  // may be absent
  uint16_t choice = 0;  // kChoice: index into the table
  int64_t low = 0;      // kInt: least value; kText, kSlug, kBytes: least size in bytes
  int64_t high = 0;     // kInt: greatest value; kText, kSlug, kBytes: greatest size

  bool is_error() const { return kind == TypeKind::kError; }
  // Text, slug or bytes: it has a size.
  bool is_octets() const {
    return kind == TypeKind::kText || kind == TypeKind::kSlug || kind == TypeKind::kBytes;
  }
};

Type ErrorType();
Type BoolType();
Type IntType(int64_t low, int64_t high);
Type AnyIntType();
Type OctetsType(TypeKind kind, int64_t low, int64_t high);

// The cases of each `one of` type, in order. Equal lists have the same index.
class ChoiceTable {
 public:
  static constexpr size_t kChoicesMax = 256;

  // Index of these cases. False: the table is full.
  bool Intern(const std::vector<std::string>& cases, uint16_t* index);
  // Number of a case, or -1.
  int Find(uint16_t choice, Bytes name) const;
  absl::Span<const std::string> cases(uint16_t choice) const ABSL_ATTRIBUTE_LIFETIME_BOUND {
    return lists_[choice];
  }

 private:
  std::vector<std::vector<std::string>> lists_;
};

// True when a value of type `from` may stand where `to` is wanted, bounds aside: the same kind;
// slug as text; slug and text as bytes; a value as an option of it, and `none` as any option.
bool Fits(const Type& from, const Type& to);

// The narrowest type that both fit, bounds included. False: there is none.
bool Join(const Type& a, const Type& b, Type* joined);

// As the module text writes it: "text(1..40)", "int", "one of a b", "bytes(..1MiB)?".
std::string TypeText(const Type& type, const ChoiceTable& choices);

// The kind in words, for errors: "a text", "a number".
Bytes KindText(const Type& type);

// "1MiB", "64": a size as short as it can be written.
std::string SizeText(int64_t bytes);

}  // namespace pure::modules
