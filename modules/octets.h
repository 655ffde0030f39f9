#pragma once

// Octets: a text or bytes value while a message runs: pieces that lie where they came from (the
// request, the store, the module), so that joining two values copies a list, not their octets.
//
// Lifetime: borrows pieces and their list.

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "modules/arena.h"
#include "runtime/bytes.h"

namespace pure::modules {

// Where the octets of a value lie.
enum class Origin : uint8_t {
  kOwn,     // in the request, the module or the arena: what the message brings itself
  kStored,  // in the stored value, where the store lent them
  kMixed,   // some in both
};

struct Octets {
  const Bytes* pieces = nullptr;
  size_t count = 0;
  size_t size_bytes = 0;
  Origin origin = Origin::kOwn;

  absl::Span<const Bytes> spans() const { return {pieces, count}; }
};

// One piece; the span object is borrowed.
Octets OctetsOf(const Bytes* piece);

// a followed by b. Small results are copied into one piece, so that many small joins stay cheap;
// but stored octets never are: they are shared where they lie, and nobody may have checked them.
// False: the arena is at its limit or out of memory.
bool JoinOctets(const Octets& a, const Octets& b, Arena* arena, Octets* joined);

// `size_bytes` octets of a value from the one at `from` on. REQUIRES: the value has them. False: as
// JoinOctets.
bool SliceOctets(const Octets& octets, size_t from, size_t size_bytes, Arena* arena, Octets* slice);

// The octet at `index`. REQUIRES: index < octets.size_bytes.
char OctetAt(const Octets& octets, size_t index);

// Less than 0, 0 or greater than 0: by octets, as unsigned numbers.
int CompareOctets(const Octets& a, const Octets& b);

// Writes all octets to `out`; returns where they end.
char* CopyOctets(const Octets& octets, char* out);

// The octets as one run: their only piece, or a copy in the arena. False: as JoinOctets.
bool FlattenOctets(const Octets& octets, Arena* arena, Bytes* flat);

}  // namespace pure::modules
