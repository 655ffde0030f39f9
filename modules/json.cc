#include "modules/json.h"

#include <algorithm>

#include "modules/utf8.h"

namespace pure::modules {
namespace {

constexpr Bytes kReplacement = "\xEF\xBF\xBD";
constexpr char kHexDigits[] = "0123456789abcdef";

// The letter of a two-character escape, or 0.
char EscapeLetter(char c) {
  switch (c) {
    case '"':
    case '\\':
      return c;
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    default:
      return 0;
  }
}

// Calls `put` with the runs of octets that the string consists of, quotes left out.
template <typename Put>
void ForEachRun(Bytes text, Put put) {
  while (!text.empty()) {
    const char c = text[0];
    const size_t size = Utf8CharacterSize(text);
    if (const char letter = EscapeLetter(c); letter != 0) {
      const char escape[] = {'\\', letter};
      put(Bytes(escape, sizeof(escape)));
    } else if (static_cast<unsigned char>(c) < 0x20) {
      const char escape[] = {'\\', 'u', '0', '0', kHexDigits[c >> 4], kHexDigits[c & 0xF]};
      put(Bytes(escape, sizeof(escape)));
    } else {
      put(size == 0 ? kReplacement : text.substr(0, size));
    }
    text.remove_prefix(std::max<size_t>(size, 1));
  }
}

}  // namespace

size_t JsonStringSize(Bytes text) {
  size_t size = 2;
  ForEachRun(text, [&size](Bytes run) { size += run.size(); });
  return size;
}

char* WriteJsonString(Bytes text, char* out) {
  *out++ = '"';
  ForEachRun(text, [&out](Bytes run) { out = std::copy(run.begin(), run.end(), out); });
  *out++ = '"';
  return out;
}

std::string JsonString(Bytes text) {
  std::string json(JsonStringSize(text), '\0');
  WriteJsonString(text, json.data());
  return json;
}

}  // namespace pure::modules
