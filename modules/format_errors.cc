#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "modules/module.h"
#include "modules/utf8.h"

namespace pure::modules {
namespace {

// A longer line is shown in part, this many octets before and from the error on: the output stays
// short whatever the line is.
constexpr size_t kLineBytesMax = 160;
constexpr size_t kShownBefore = 80;
constexpr size_t kShownFrom = 80;

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// One line that can be printed on a terminal: no control characters, nothing malformed.
std::string Printable(Bytes part) {
  std::string shown;
  while (!part.empty()) {
    const size_t size = Utf8CharacterSize(part);
    const uint8_t c = static_cast<uint8_t>(part[0]);
    const bool control =
        c < 0x20 || c == 0x7F || (c == 0xC2 && size == 2 && static_cast<uint8_t>(part[1]) < 0xA0);
    if (c == '\t' || (size > 0 && !control)) {
      shown.append(part.substr(0, size));
    } else {
      shown.push_back(' ');
    }
    part.remove_prefix(std::max<size_t>(size, 1));
  }
  return shown;
}

// What stands before the caret: as wide as what stands before the error.
std::string Padding(Bytes before) {
  std::string padding;
  for (char c : before) {
    if (!IsContinuation(c)) padding.push_back(c == '\t' ? '\t' : ' ');
  }
  return padding;
}

// The text from the start of line `line` (1-based) on, where `start` is the start of line `at`.
size_t AdvanceToLine(Bytes text, size_t start, uint32_t at, uint32_t line) {
  for (; at < line; ++at) {
    const size_t end = text.find('\n', start);
    if (end == Bytes::npos) return text.size();
    start = end + 1;
  }
  return start;
}

}  // namespace

std::string FormatErrors(Bytes file_name, Bytes text, absl::Span<const Error> errors) {
  std::string out;
  size_t start = 0;
  uint32_t at = 1;
  for (const Error& error : errors) {
    absl::StrAppend(&out, file_name, ":", error.line, ":", error.column, ": ", error.what, "\n");
    if (error.line < at) {
      start = 0;
      at = 1;
    }
    start = AdvanceToLine(text, start, at, error.line);
    at = error.line;
    Bytes line = text.substr(start);
    line = line.substr(0, line.find('\n'));
    const size_t column = std::min<size_t>(error.column == 0 ? 0 : error.column - 1, line.size());
    size_t first = 0;
    size_t last = line.size();
    if (line.size() > kLineBytesMax) {
      first = column > kShownBefore ? column - kShownBefore : 0;
      while (first > 0 && first < column && IsContinuation(line[first])) ++first;
      last = std::min(line.size(), column + kShownFrom);
      while (last < line.size() && IsContinuation(line[last])) ++last;
    }
    absl::StrAppend(&out, Printable(line.substr(first, last - first)), "\n",
                    Padding(line.substr(first, column - first)), "^\n");
    if (!error.help.empty()) absl::StrAppend(&out, "  ", error.help, "\n");
  }
  return out;
}

}  // namespace pure::modules
