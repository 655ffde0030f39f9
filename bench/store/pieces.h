#pragma once

// Values in pieces: made from a seed, spliced, compared, without a copy of a large one.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/types/span.h"
#include "runtime/bytes.h"

namespace pure::bench {

// `size_bytes` bytes that the seed alone decides; other seeds give others.
std::string SeededBytes(uint64_t seed, size_t size_bytes);

// `size_bytes` bytes: `pattern` again and again, lent from it. REQUIRES: it is not empty.
std::vector<Bytes> Repeated(Bytes pattern ABSL_ATTRIBUTE_LIFETIME_BOUND, uint64_t size_bytes);

// The pieces with `inserted` at `offset`; empty ones are left out. Lends what it is given.
// REQUIRES: the offset lies in the pieces, or at their end.
std::vector<Bytes> Spliced(absl::Span<const Bytes> pieces, uint64_t offset, Bytes inserted);

// True: the same octets, however they are cut.
bool SameBytes(absl::Span<const Bytes> one, absl::Span<const Bytes> other);

}  // namespace pure::bench
