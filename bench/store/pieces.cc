#include "bench/store/pieces.h"

#include <algorithm>
#include <cstring>

#include "runtime/check.h"
#include "tests/testing/seeded_entropy.h"

namespace pure::bench {

std::string SeededBytes(uint64_t seed, size_t size_bytes) {
  testing::SeededEntropy entropy(seed);
  std::string bytes(size_bytes, '\0');
  for (size_t at = 0; at < size_bytes; at += sizeof(uint64_t)) {
    const uint64_t next = entropy.Next();
    std::memcpy(bytes.data() + at, &next, std::min(sizeof next, size_bytes - at));
  }
  return bytes;
}

std::vector<Bytes> Repeated(Bytes pattern, uint64_t size_bytes) {
  PURE_CHECK(!pattern.empty(), "there is something to repeat");
  std::vector<Bytes> pieces;
  for (uint64_t at = 0; at < size_bytes; at += pattern.size()) {
    pieces.push_back(pattern.substr(0, size_bytes - at));
  }
  return pieces;
}

std::vector<Bytes> Spliced(absl::Span<const Bytes> pieces, uint64_t offset, Bytes inserted) {
  std::vector<Bytes> spliced;
  const auto add = [&](Bytes piece) {
    if (!piece.empty()) spliced.push_back(piece);
  };
  uint64_t before = offset;  // what is still to be passed; the insertion comes where it is used up
  bool done = false;
  for (const Bytes piece : pieces) {
    if (done || piece.size() < before) {
      add(piece);
      before -= done ? 0 : piece.size();
      continue;
    }
    add(piece.substr(0, before));
    add(inserted);
    add(piece.substr(before));
    before = 0;
    done = true;
  }
  PURE_CHECK(before == 0, "the offset lies in the pieces");
  if (!done) add(inserted);
  return spliced;
}

bool SameBytes(absl::Span<const Bytes> one, absl::Span<const Bytes> other) {
  size_t next_one = 0, next_other = 0;
  Bytes a, b;  // what is left of the current pieces
  for (;;) {
    while (a.empty() && next_one < one.size()) a = one[next_one++];
    while (b.empty() && next_other < other.size()) b = other[next_other++];
    if (a.empty() || b.empty()) return a.empty() && b.empty();
    const size_t both = std::min(a.size(), b.size());
    if (a.substr(0, both) != b.substr(0, both)) return false;
    a.remove_prefix(both);
    b.remove_prefix(both);
  }
}

}  // namespace pure::bench
