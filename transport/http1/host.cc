#include "transport/http1/host.h"

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "transport/http1/bytes_class.h"

namespace pure::http1 {
namespace {

// Four decimal numbers up to 255 without leading zeros (RFC 3986 3.2.2, IPv4address).
bool IsV4(Bytes text) {
  for (int numbers = 1;; ++numbers) {
    int value = 0;
    size_t digits = 0;
    for (; digits < text.size() && digits < 3 && IsDigit(text[digits]); ++digits) {
      value = value * 10 + (text[digits] - '0');
    }
    if (digits == 0 || value > 255 || (digits > 1 && text.front() == '0')) return false;
    text.remove_prefix(digits);
    if (numbers == 4) return text.empty();
    if (text.empty() || text.front() != '.') return false;
    text.remove_prefix(1);
  }
}

// Eight groups of up to four hexadecimal digits; once, `::` stands for one or more that are 0; the
// last two may be an IPv4 address (RFC 3986 3.2.2, IPv6address).
bool IsV6(Bytes text) {
  int groups = 0;
  bool gap = absl::ConsumePrefix(&text, "::");
  while (!(gap && text.empty())) {
    const size_t digits = FindOther(text, 0, kHexClass);
    if (digits < text.size() && text[digits] == '.') {
      if (!IsV4(text)) return false;
      groups += 2;
      break;
    }
    if (digits == 0 || digits > 4) return false;
    ++groups;
    text.remove_prefix(digits);
    if (text.empty()) break;
    if (absl::ConsumePrefix(&text, "::")) {
      if (gap) return false;
      gap = true;
    } else if (!absl::ConsumePrefix(&text, ":") || text.empty()) {
      return false;
    }
  }
  return gap ? groups < 8 : groups == 8;
}

// Where a registered name or an IPv4 address ends.
size_t NameEnd(Bytes authority) {
  size_t end = FindOther(authority, 0, kHostClass);
  while (IsEscape(authority, end)) end = FindOther(authority, end + 3, kHostClass);
  return end;
}

}  // namespace

bool SplitHost(Bytes authority, Bytes* name, Bytes* port) {
  if (authority.empty()) return false;
  size_t end;
  if (authority.front() == '[') {
    end = authority.find(']');
    if (end == Bytes::npos || !IsV6(authority.substr(1, end - 1))) return false;
    ++end;
  } else {
    end = NameEnd(authority);
    if (end == 0) return false;
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
  if (absl::StartsWith(name, "127.")) return IsV4(name);
  return name == "[::1]" || absl::EqualsIgnoreCase(name, "localhost");
}

}  // namespace pure::http1
