#include "runtime/key.h"

namespace pure {
namespace {

bool IsKeyByte(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
         (byte >= '0' && byte <= '9') || byte == '-' || byte == '_';
}

}  // namespace

bool IsKey(Bytes text) {
  return !text.empty() && text.size() <= kKeyBytesMax &&
         std::all_of(text.begin(), text.end(), IsKeyByte);
}

}  // namespace pure
