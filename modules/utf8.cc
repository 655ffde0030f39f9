#include "modules/utf8.h"

#include <cstring>

namespace pure::modules {
namespace {

uint8_t At(Bytes text, size_t index) { return static_cast<uint8_t>(text[index]); }

bool IsContinuation(Bytes text, size_t index) {
  return index < text.size() && (At(text, index) & 0xC0) == 0x80;
}

}  // namespace

size_t Utf8CharacterSize(Bytes text) {
  const uint8_t lead = At(text, 0);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4 || !IsContinuation(text, 1)) return 0;
  if (lead < 0xE0) return 2;
  const uint8_t second = At(text, 1);
  if (lead < 0xF0) {
    if (lead == 0xE0 && second < 0xA0) return 0;   // overlong
    if (lead == 0xED && second >= 0xA0) return 0;  // a surrogate
    return IsContinuation(text, 2) ? 3 : 0;
  }
  if (lead == 0xF0 && second < 0x90) return 0;   // overlong
  if (lead == 0xF4 && second >= 0x90) return 0;  // above U+10FFFF
  return IsContinuation(text, 2) && IsContinuation(text, 3) ? 4 : 0;
}

size_t Utf8ValidPrefix(Bytes text) {
  size_t index = 0;
  while (index < text.size()) {
    uint64_t eight;
    while (text.size() - index >= sizeof(eight)) {
      std::memcpy(&eight, text.data() + index, sizeof(eight));
      if ((eight & 0x8080808080808080u) != 0) break;
      index += sizeof(eight);
    }
    if (index == text.size()) break;
    const size_t size = Utf8CharacterSize(text.substr(index));
    if (size == 0) return index;
    index += size;
  }
  return index;
}

size_t EncodeUtf8(uint32_t code_point, char* out) {
  const auto put = [out](size_t index, uint32_t octet) { out[index] = static_cast<char>(octet); };
  if (code_point < 0x80) {
    put(0, code_point);
    return 1;
  }
  if (code_point < 0x800) {
    put(0, 0xC0 | (code_point >> 6));
    put(1, 0x80 | (code_point & 0x3F));
    return 2;
  }
  if (code_point < 0x10000) {
    put(0, 0xE0 | (code_point >> 12));
    put(1, 0x80 | ((code_point >> 6) & 0x3F));
    put(2, 0x80 | (code_point & 0x3F));
    return 3;
  }
  put(0, 0xF0 | (code_point >> 18));
  put(1, 0x80 | ((code_point >> 12) & 0x3F));
  put(2, 0x80 | ((code_point >> 6) & 0x3F));
  put(3, 0x80 | (code_point & 0x3F));
  return 4;
}

}  // namespace pure::modules
