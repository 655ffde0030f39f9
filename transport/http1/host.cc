#include "transport/http1/host.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "transport/http1/bytes_class.h"

namespace pure::http1 {
namespace {

// Hexadecimal digits, colons and dots, at least two colons: enough to tell an IPv6 literal from other text.
bool IsV6(Bytes text) {
  int colons = 0;
  for (const char c : text) {
    if (c == ':') {
      ++colons;
    } else if (!absl::ascii_isxdigit(static_cast<unsigned char>(c)) && c != '.') {
      return false;
    }
  }
  return colons >= 2;
}

bool IsRegisteredName(Bytes text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (Is(text[i], kHostClass)) continue;
    const bool escape = text[i] == '%' && i + 2 < text.size() &&
                        absl::ascii_isxdigit(static_cast<unsigned char>(text[i + 1])) &&
                        absl::ascii_isxdigit(static_cast<unsigned char>(text[i + 2]));
    if (!escape) return false;
    i += 2;
  }
  return true;
}

}  // namespace

bool SplitHost(Bytes authority, Bytes* name, Bytes* port) {
  size_t end;
  if (!authority.empty() && authority.front() == '[') {
    end = authority.find(']');
    if (end == Bytes::npos || !IsV6(authority.substr(1, end - 1))) return false;
    ++end;
  } else {
    end = std::min(authority.find(':'), authority.size());
    if (end == 0 || !IsRegisteredName(authority.substr(0, end))) return false;
  }
  *name = authority.substr(0, end);
  *port = authority.substr(end);
  if (port->empty()) return true;
  if (port->front() != ':') return false;
  port->remove_prefix(1);
  for (const char c : *port) {
    if (!IsDigit(c)) return false;
  }
  return true;
}

bool IsLoopbackName(Bytes name) {
  if (absl::EqualsIgnoreCase(name, "localhost") || name == "[::1]") return true;
  if (!absl::StartsWith(name, "127.")) return false;
  int dots = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '.') {
      ++dots;
      if (i + 1 == name.size() || name[i + 1] == '.') return false;
    } else if (!IsDigit(name[i])) {
      return false;
    }
  }
  return dots == 3;
}

}  // namespace pure::http1
