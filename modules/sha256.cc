#include "modules/sha256.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/strings/escaping.h"

namespace pure::modules {
namespace {

constexpr size_t kBlockBytes = 64;
constexpr size_t kLengthBytes = 8;

constexpr uint32_t kRound[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

using Digest = std::array<uint32_t, 8>;

constexpr uint32_t Rotate(uint32_t word, int bits) {
  return (word >> bits) | (word << (32 - bits));
}

void AddBlock(const char* block, Digest* digest) {
  uint32_t words[64];
  for (size_t i = 0; i < 16; ++i) {
    words[i] = 0;
    for (size_t j = 0; j < 4; ++j)
      words[i] = words[i] << 8 | static_cast<uint8_t>(block[4 * i + j]);
  }
  for (size_t i = 16; i < 64; ++i) {
    const uint32_t low =
        Rotate(words[i - 15], 7) ^ Rotate(words[i - 15], 18) ^ (words[i - 15] >> 3);
    const uint32_t high =
        Rotate(words[i - 2], 17) ^ Rotate(words[i - 2], 19) ^ (words[i - 2] >> 10);
    words[i] = words[i - 16] + low + words[i - 7] + high;
  }
  auto [a, b, c, d, e, f, g, h] = *digest;
  for (size_t i = 0; i < 64; ++i) {
    const uint32_t mix_e = Rotate(e, 6) ^ Rotate(e, 11) ^ Rotate(e, 25);
    const uint32_t first = h + mix_e + ((e & f) ^ (~e & g)) + kRound[i] + words[i];
    const uint32_t mix_a = Rotate(a, 2) ^ Rotate(a, 13) ^ Rotate(a, 22);
    const uint32_t second = mix_a + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const Digest added = {a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < added.size(); ++i) (*digest)[i] += added[i];
}

}  // namespace

std::string Sha256Hex(Bytes text) {
  Digest digest = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  size_t whole = text.size() / kBlockBytes * kBlockBytes;
  for (size_t i = 0; i < whole; i += kBlockBytes) AddBlock(text.data() + i, &digest);

  // The rest, a one bit, zeros, and the length in bits.
  char tail[2 * kBlockBytes] = {};
  const size_t rest = text.size() - whole;
  if (rest > 0) std::memcpy(tail, text.data() + whole, rest);
  tail[rest] = static_cast<char>(0x80);
  const size_t tail_bytes = rest + 1 + kLengthBytes <= kBlockBytes ? kBlockBytes : 2 * kBlockBytes;
  const uint64_t bits = uint64_t{text.size()} * 8;
  for (size_t i = 0; i < kLengthBytes; ++i) {
    tail[tail_bytes - 1 - i] = static_cast<char>(bits >> (8 * i));
  }
  for (size_t i = 0; i < tail_bytes; i += kBlockBytes) AddBlock(tail + i, &digest);

  std::string octets;
  for (uint32_t word : digest) {
    for (int shift = 24; shift >= 0; shift -= 8) octets.push_back(static_cast<char>(word >> shift));
  }
  return absl::BytesToHexString(octets);
}

}  // namespace pure::modules
