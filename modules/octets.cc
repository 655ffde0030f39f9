#include "modules/octets.h"

#include <algorithm>
#include <cstring>

namespace pure::modules {
namespace {

constexpr size_t kCopiedBytesMax =
    256;  // a list of two pieces is 32 bytes and two more spans for the disk

}  // namespace

Octets OctetsOf(const Bytes* piece) {
  return {piece, piece->empty() ? 0u : 1u, piece->size(), Origin::kOwn};
}

bool JoinOctets(const Octets& a, const Octets& b, Arena* arena, Octets* joined) {
  if (a.size_bytes == 0 || b.size_bytes == 0) {
    *joined = a.size_bytes == 0 ? b : a;
    return true;
  }
  const size_t size_bytes = a.size_bytes + b.size_bytes;
  const Origin origin = a.origin == b.origin ? a.origin : Origin::kMixed;
  const bool copied = size_bytes <= kCopiedBytesMax && origin == Origin::kOwn;
  const size_t count = copied ? 1 : a.count + b.count;
  Bytes* const pieces = arena->AllocateArray<Bytes>(count);
  if (pieces == nullptr) return false;
  if (copied) {
    char* const data = arena->AllocateArray<char>(size_bytes);
    if (data == nullptr) return false;
    CopyOctets(b, CopyOctets(a, data));
    pieces[0] = Bytes(data, size_bytes);
  } else {
    std::copy_n(b.pieces, b.count, std::copy_n(a.pieces, a.count, pieces));
  }
  *joined = {pieces, count, size_bytes, origin};
  return true;
}

bool SliceOctets(const Octets& octets, size_t from, size_t size_bytes, Arena* arena,
                 Octets* slice) {
  if (size_bytes == 0) {
    *slice = Octets();
    return true;
  }
  const Bytes* first = octets.pieces;
  while (from >= first->size()) from -= (first++)->size();
  const Bytes* last = first;
  size_t end = from + size_bytes;  // in the last piece, once it is found
  while (end > last->size()) end -= (last++)->size();
  const size_t count = static_cast<size_t>(last - first) + 1;
  const bool cut = from > 0 || end < last->size();
  if (cut) {
    Bytes* const pieces = arena->AllocateArray<Bytes>(count);
    if (pieces == nullptr) return false;
    std::copy_n(first, count, pieces);
    pieces[count - 1] = pieces[count - 1].substr(0, end);
    pieces[0].remove_prefix(from);
    first = pieces;
  }
  *slice = {first, count, size_bytes, octets.origin};
  return true;
}

char OctetAt(const Octets& octets, size_t index) {
  const Bytes* piece = octets.pieces;
  while (index >= piece->size()) index -= (piece++)->size();
  return (*piece)[index];
}

int CompareOctets(const Octets& a, const Octets& b) {
  Bytes rest_a, rest_b;
  size_t next_a = 0, next_b = 0;
  while (true) {
    while (rest_a.empty() && next_a < a.count) rest_a = a.pieces[next_a++];
    while (rest_b.empty() && next_b < b.count) rest_b = b.pieces[next_b++];
    const size_t common = std::min(rest_a.size(), rest_b.size());
    if (common == 0) return static_cast<int>(!rest_a.empty()) - static_cast<int>(!rest_b.empty());
    if (const int order = std::memcmp(rest_a.data(), rest_b.data(), common); order != 0)
      return order;
    rest_a.remove_prefix(common);
    rest_b.remove_prefix(common);
  }
}

char* CopyOctets(const Octets& octets, char* out) {
  for (Bytes piece : octets.spans()) out = std::copy(piece.begin(), piece.end(), out);
  return out;
}

bool FlattenOctets(const Octets& octets, Arena* arena, Bytes* flat) {
  if (octets.count <= 1) {
    *flat = octets.count == 0 ? Bytes() : octets.pieces[0];
    return true;
  }
  char* const data = arena->AllocateArray<char>(octets.size_bytes);
  if (data == nullptr) return false;
  CopyOctets(octets, data);
  *flat = Bytes(data, octets.size_bytes);
  return true;
}

}  // namespace pure::modules
